// The part of the vendored module that ed25519.js uses; the module itself is not ours to check.

export class Point {
  static CURVE(): { readonly p: bigint; readonly n: bigint };
  /** RFC 8032 section 5.1.3; throws where these are not 32 bytes that encode a point canonically. */
  static fromBytes(bytes: Uint8Array): Point;
  is0(): boolean;
  /** Whether L times the point is the identity; true of the identity. */
  isTorsionFree(): boolean;
}

export function verifyAsync(
  signature: Uint8Array,
  message: Uint8Array,
  publicKey: Uint8Array,
  options: { zip215: boolean },
): Promise<boolean>;
