// The nouns that the modules share, as JSDoc types; nothing here runs. They mirror benchsite/history/verdict.py.

/**
 * @typedef {null | boolean | number | string | JsonArray | JsonObject} Json a strict JSON value
 * @typedef {Json[]} JsonArray
 * @typedef {{[key: string]: Json}} JsonObject has no prototype
 * @typedef {{[key: string]: any}} Document a parsed JSON object whose shape a schema has checked or is about to
 *
 * @typedef {"WITNESSED" | "LOGGED" | "SIGNED-ONLY" | "UNKNOWN SIGNER" | "SUSPECT" | "RETRACTED" | "SUPERSEDED"
 *   | "DISPUTED" | "INVALID" | "UNSUPPORTED"} Verdict
 * @typedef {"MATCHES" | "DIFFERS" | "NOT RE-SCORABLE"} Rescore
 * @typedef {"pass" | "fail" | "warning" | "not checked"} State
 *
 * @typedef {object} Step one check, its outcome and what was seen
 * @property {string} name parse, canonical, schema, key, signature, log, checkpoint, consistency, witness,
 *   evidence, events, re-score, traces, agreement, evaluation, invariants
 * @property {State} state
 * @property {string} detail
 * @property {string} field path of the offending value of a failed step; the SHA-256 of withdrawn evidence; else empty
 * @property {[string, string][]} [shown] what the step looked at: label and its exact text (hex, base64 or JSON)
 *
 * @typedef {{field: string, recorded: Json | undefined, computed: Json | undefined}} Difference
 * @typedef {{code: string, message: string, field: string}} Violation a relation no real measurement can break
 *
 * @typedef {object} Rescoring what a track says of a receipt's numbers
 * @property {Rescore} rescore
 * @property {string} reason
 * @property {boolean} [missing] whether a document is not at hand, which the reader may supply
 * @property {number} compared values that were recomputed
 * @property {number} [omitted] values that only `benchsite rescore` recomputes; none where it is absent
 * @property {Difference[]} differences
 * @property {Violation[]} violations
 * @property {Step[]} [further] what was found of the evidence itself, where a track records how it follows from further
 *   evidence
 *
 * @typedef {object} Figure the number a board ranks by
 * @property {string} label the metric's name
 * @property {number} value
 * @property {number} digits decimals that a page shows
 * @property {string} scale what follows the number, as " of 100"; may be empty
 * @property {string} on the data or the tasks it was taken on
 *
 * @typedef {object} TrackWords what is said of one track's receipts
 * @property {string} leftOut what a browser does not recompute; it completes "Not recomputed here: "
 * @property {string} elsewhere what does that instead
 * @property {string} limit what no result of the track can show
 * @property {{short: string, word: string, text: string}} broken of numbers that cannot stand: in a headline, in a notice
 *
 * @typedef {object} Methodology what a re-score goes by, of the document whose digest a receipt names
 * @property {string} track
 * @property {string} version
 * @property {string} engine name and number of the scoring engine, as `rubric/2`
 * @property {Document} parameters what the engine goes by, by name
 *
 * @typedef {object} Materials where the documents that re-scoring needs are found; null for what is not at hand
 * @property {(named: {id: string, version: string, sha256: string}) => Promise<Methodology | null>} methodology
 * @property {(sha256: string, isMirrored?: boolean) => Promise<Uint8Array | null>} evidence the uncompressed bytes of that
 *   digest; mirrored evidence is never on the site itself
 * @property {string | null} failed why the Worker of the receipt's track gave no answer; null where it was not asked
 * @property {{[what: string]: any} | null} answer what the Worker of another package's track says of the receipt, unchecked
 *
 * @typedef {object} Given what one re-score is given besides the receipt
 * @property {Methodology | null} methodology null where the receipt names none (schema 0.0.1)
 * @property {(sha256: string) => Promise<Uint8Array | null>} evidence as in `Materials`
 *
 * @typedef {{field: string, id: string, sha256: string | null}} Target what was run: the receipt's member that names it, and
 *   the digest of its data; null where the methodology holds the tasks
 *
 * @typedef {object} Track one `rescore-<name>.js`
 * @property {string} name
 * @property {TrackWords} words
 * @property {ReadonlyMap<string, import("./shape.js").Check>} engines its scoring engines, each with what it takes as parameters
 * @property {(document: Document) => Json | undefined} subject what the receipt says it measured; nothing is checked yet
 * @property {(document: Document) => void} check validates the track's own keys; throws Fault
 * @property {(document: Document, given: Given) => Rescoring | Promise<Rescoring>} rescore scores again from the evidence; call
 *   after `check`
 * @property {(document: Document, methodology: Methodology | null) => Figure | null} figure the number a board ranks by; null
 *   where it is blank
 * @property {(document: Document) => ReadonlySet<string>} needs SHA-256 of the pinned evidence that the numbers are computed
 *   from; what is quoted beside them is not in it
 * @property {(document: Document) => Target} target
 */

/**
 * @typedef {object} Trust what a site asks its visitors to start from; in verify.html the element `#trust`
 * @property {1} v
 * @property {string} site the site's name
 * @property {string | null} origin of its log; null for a site without one
 * @property {string[]} roots fingerprints of the root keys that may open the log
 * @property {[number, string][]} keyEvents every key event: index and entry
 * @property {[number, string][]} documents every methodology and fixture entry: index and entry
 * @property {[number, string][]} events every retraction, succession, dispute and withdrawal: index and entry
 * @property {string} checkpoint the newest signed checkpoint, with its cosignatures; empty without a log
 * @property {string[]} witnesses verifier keys of the trusted witnesses
 * @property {string} [banner] the line on top of every page of the site
 * @property {[string, string][]} [nav] title and path of the pages in the head of every page of the site
 * @property {[string, string][]} [links] title and address of what the foot of every page of the site links to
 * @property {string} [version] of benchsite, that made the site
 * @property {string} [sample] id of a receipt to try
 * @property {string[]} [mirrors] addresses of large evidence; a copy of the page from before they were named has none
 * @property {object} [board] a leaderboard that this page carries: its statement, the log and the receipts
 *
 * @typedef {{origin: string, size: number, root: string, note: string}} Head of a log: root in base64, the signed note
 *
 * @typedef {object} Request what is to be checked, and what to check it against
 * @property {Uint8Array} bytes the receipt's file
 * @property {Trust} trust
 * @property {string | null} base address of the site's root, where the log is fetched; null offline
 * @property {Uint8Array | null} proof a tlog-proof file (`benchsite log proof`) the visitor brought along
 * @property {string | null} key PEM of a public key the visitor trusts
 * @property {Uint8Array[]} [given] documents and evidence that the visitor brought along
 * @property {string} [failed] why the Worker of the receipt's track gave no answer
 * @property {object} [answer] what the Worker of the receipt's track says of it
 * @property {string | null} wanted id of the receipt that was asked for; null for any
 * @property {Head | null} seen the newest head of this log that this browser remembers
 *
 * @typedef {object} BoardRequest a leaderboard to be verified
 * @property {Trust} trust
 * @property {string | null} base as in `Request`
 * @property {Head | null} seen
 * @property {Uint8Array | null} file a statement or a saved page; null for the served statement of `path`
 * @property {string | null} path as `retrieval/locomo-10-turn`; null for the leaderboard that the trust data carries
 * @property {number | null} [at] entries of the log; null for the statement's own
 *
 * @typedef {object} BoardReport what came of it
 * @property {"whole" | "different" | "recomputed" | "broken" | "not checked"} state
 * @property {string} sentence
 * @property {boolean} stated whether a statement was compared with the record
 * @property {any} statement as the record gives it; null where it could not be recomputed
 * @property {import("./discrepancies.js").Discrepancy[]} discrepancies
 * @property {Step[]} steps
 * @property {number} receipts of the log that were read and verified
 * @property {Head | null} head newest verified
 * @property {boolean} keep whether `head` should now be remembered
 * @property {string | null} evidence two inconsistent signed checkpoints
 *
 * @typedef {object} Report everything a page shows of one check
 * @property {Verdict} verdict
 * @property {Step[]} steps in the order taken
 * @property {Rescoring | null} rescoring null where the file could not be read as a receipt
 * @property {string | null} receiptId
 * @property {string | null} ranAt as the receipt claims
 * @property {{name: string, sha256: string}[]} wanting evidence that the receipt pins and that was asked for in vain
 * @property {TrackWords | null} words of the receipt's track; null where no track is known
 * @property {{name: string, version: string} | null} subject
 * @property {Figure | null} figure the number a board ranks by, as the receipt states it
 * @property {{notBefore: number | null, notAfter: number | null}} window unix seconds proven by witnesses
 * @property {number | null} index of its log entry, where inclusion was proven
 * @property {Head | null} head newest verified head of the log
 * @property {boolean} keep whether `head` should now be remembered in place of `seen`
 * @property {Material | null} material for checking the signature with another tool
 * @property {string | null} evidence two inconsistent signed checkpoints, to be saved; null without any
 * @property {string | null} proof a tlog-proof file for this receipt, where inclusion was proven online
 * @property {Course | null} course how the log relates to what was known before; null without a log
 * @property {boolean} compromised whether the signing key is revoked as compromised and its place does not clear the receipt
 * @property {Reach | null} reach the later entries this check knows of; null where the log could not be opened
 *
 * @typedef {"first" | "same" | "grown" | "stale" | "fork" | "unavailable" | "broken"} Course
 * How the log relates to what this browser knew before; `unavailable`: the served one could not be read or compared.
 * @typedef {{entries: number, whole: boolean}} Reach
 * Entries whose later events are known; `whole` where every entry was read and not only those the site lists.
 *
 * @typedef {object} LogReport what came of checking the served log alone
 * @property {Course} state
 * @property {Head | null} head newest verified
 * @property {Step[]} steps
 * @property {string | null} evidence two inconsistent signed checkpoints
 * @property {boolean} keep whether `head` should now be remembered
 *
 * @typedef {object} Material
 * @property {boolean} canonical whether the file's bytes are the canonical form
 * @property {Uint8Array} signed the bytes under the signature
 * @property {Uint8Array} signature 64 bytes
 * @property {string} fingerprint of the signing key, as the receipt names it
 * @property {Uint8Array | null} publicKey 32 bytes; null where the key is unknown
 */

export {};
