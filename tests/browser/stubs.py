"""Browsers that lack something, as scripts that run before a page's own."""

from __future__ import annotations

from typing import Final

WITHOUT_ED25519: Final = """
  const kept = crypto.subtle.importKey.bind(crypto.subtle);
  crypto.subtle.importKey = (format, data, algorithm, ...more) => (algorithm?.name ?? algorithm) === "Ed25519"
    ? Promise.reject(new DOMException("Unrecognized name.", "NotSupportedError"))
    : kept(format, data, algorithm, ...more);
"""
WITHOUT_SUBTLE: Final = 'Object.defineProperty(Crypto.prototype, "subtle", { value: undefined });'
NO_WORKERS: Final = 'window.Worker = class { constructor() { throw new Error("workers are off"); } };'
STORAGE_THROWS: Final = """
  Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } });
"""
STORAGE_FULL: Final = """
  Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
"""


def in_the_worker(script: str) -> str:
    """Let the Worker that a page makes of its own text run this first."""
    return f"""
      const Real = window.Blob;
      window.Blob = class extends Real {{
        constructor(parts, options) {{
          super(options?.type === "text/javascript" ? [{script!r}, ...parts] : parts, options);
        }}
      }};
    """
