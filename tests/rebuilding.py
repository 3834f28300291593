"""What may happen between two builds: each step changes an instance, what it keeps, or the site that was built."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

from builders import commit, retrieval_work
from publishing import git
from snapshots import log_of, opened, snapshot

from benchsite import canonical, resources
from benchsite.environment import Credentials
from benchsite.layout import PAGE_DIGESTS
from benchsite.methodology import FILES
from benchsite.pipeline import build, publish
from benchsite.pipeline.measure import run
from benchsite.pipeline.publish import events, rotation
from benchsite.pipeline.record import evidence
from benchsite.pipeline.workspace import Workspace
from benchsite.signing import PrivateKey
from benchsite.track import Evidence

Secrets = dict[str, PrivateKey]
_numbers = count(20)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def published(instance: Workspace) -> list[str]:
    return [Path(item.path).stem for item in snapshot(instance).published]


def measured(instance: Workspace, secrets: Secrets, **changes: object) -> str:
    result = next(run.run(instance, opened(instance), [retrieval_work("bm25", seed=next(_numbers))]))
    assert result.draft is not None
    document = {**json.loads(result.draft.read_bytes()), **changes}
    result.draft.write_bytes(canonical.dumps(document))
    publish.publish(instance, opened(instance), [result.draft], Credentials.of(**secrets), push=False)
    return result.receipt_id


def superseding(instance: Workspace, secrets: Secrets) -> None:
    measured(instance, secrets, supersedes=measured(instance, secrets))


def retracting(instance: Workspace, secrets: Secrets) -> None:
    entry = events.retraction(measured(instance, secrets), "wrong tokenizer")
    events.announce(instance, Credentials.of(**secrets), entry, push=False)


def disputing(instance: Workspace, secrets: Secrets) -> None:
    entry = events.dispute(published(instance)[0], f"https://example.org/{next(_numbers)}")
    events.announce(instance, Credentials.of(**secrets), entry, push=False)


def compromising(instance: Workspace, secrets: Secrets) -> None:
    """The last logged receipt becomes suspect, where its key is still in force; a new key takes over."""
    log = log_of(instance)
    done = rotation.compromise(
        instance,
        opened(instance),
        "receipt",
        Credentials.of(**secrets),
        below=log.size - 1,
        reason="leaked",
        folder=instance.root.parent / f"keys{next(_numbers)}",
        push=False,
    )
    assert done.file is not None
    secrets["receipt"] = PrivateKey.from_text(done.file.read_text(), "receipt")


def new_methodology(instance: Workspace, secrets: Secrets) -> None:
    number = next(_numbers)
    old = "methodology/retrieval/1.0.0"
    files = {name: (instance.root / old / name).read_bytes() for name in FILES}
    number_now = b'"version": "1.%d.0"' % number
    files["parameters.json"] = files["parameters.json"].replace(b'"version": "1.0.0"', number_now)
    commit(instance, {f"methodology/retrieval/1.{number}.0/{name}": text for name, text in files.items()})
    instance.refresh()


def new_theme(instance: Workspace, secrets: Secrets) -> None:
    folder = instance.root / "theme"
    if not folder.exists():
        shutil.copytree(resources.folder("theme"), folder)
    main = folder / "main.html"
    main.write_text(main.read_text().replace("</body>", f"<!-- {next(_numbers)} --></body>"))
    git(instance.root, "add", "theme")


def new_configuration(instance: Workspace, secrets: Secrets) -> None:
    path = instance.root / "mkdocs.yml"
    lines = [line for line in path.read_text().splitlines() if not line.startswith("site_url")]
    path.write_text("\n".join([f"site_url: https://bench.invalid/{next(_numbers)}", *lines]) + "\n")
    instance.refresh()


def new_prose(instance: Workspace, secrets: Secrets) -> None:
    (instance.root / f"content/page{next(_numbers)}.md").write_text("# More\n\nWords.\n")
    git(instance.root, "add", "content")


def tampering(instance: Workspace, secrets: Secrets) -> None:
    item = snapshot(instance).published[-1]
    document = json.loads(instance.repository.blob(item.blob_id))
    document["scores"]["ndcg_at_10"] = 0.98765
    commit(instance, {item.path: canonical.dumps(document)})


def losing(instance: Workspace, secrets: Secrets) -> None:
    path = snapshot(instance).published[0].path
    commit(instance, {}, removes=(path,))


def with_evidence(instance: Workspace, secrets: Secrets) -> None:
    """A receipt whose evidence is outside git."""
    item = Evidence("traces.jsonl", "application/x-ndjson", b"run %d\n" % next(_numbers), mirrored=True)
    evidence.keep(instance, item)
    measured(instance, secrets, evidence=[evidence.reference(item)])


def withdrawing(instance: Workspace, secrets: Secrets) -> None:
    """Evidence that a receipt pins is withdrawn."""
    item = Evidence("answers.txt", "text/plain", b"answer %d\n" % next(_numbers))
    evidence.keep(instance, item)
    measured(instance, secrets, evidence=[evidence.reference(item)])
    entry = events.withdrawal(canonical.sha256_hex(item.data), "personal data")
    events.announce(instance, Credentials.of(**secrets), entry, push=False)


def digests(instance: Workspace) -> Path:
    return instance.root / PAGE_DIGESTS


def spoiling(how: Callable[[bytes], bytes]) -> Callable[[Workspace, Secrets], None]:
    def spoil(instance: Workspace, secrets: Secrets) -> None:
        before = digests(instance).read_bytes()
        digests(instance).write_bytes(how(before))
        assert digests(instance).read_bytes() != before

    return spoil


def cut_short(data: bytes) -> bytes:
    return data[: len(data) // 2]


def with_exchanged_digests(data: bytes) -> bytes:
    """Each receipt has the digest of another one."""
    noted = json.loads(data)
    names, values = list(noted), list(noted.values())
    return json.dumps(dict(zip(names, [*values[1:], values[0]], strict=True))).encode()


def _first(instance: Workspace) -> Path:
    return instance.root.parent / "first.json"


def noted(instance: Workspace) -> None:
    """Copy the digests of the first build, which `putting_back` needs."""
    shutil.copyfile(digests(instance), _first(instance))


def putting_back(instance: Workspace, secrets: Secrets) -> None:
    """The digests are the first build's again, the site is that of a record with one more dispute."""
    disputing(instance, secrets)
    build.build(instance, opened(instance), instance.root.parent / "site")
    spoiling(lambda _: _first(instance).read_bytes())(instance, secrets)


def spoiling_badges(instance: Workspace, secrets: Secrets) -> None:
    """Every badge of the last build's folder says something else."""
    for path in (instance.root.parent / "site").glob("receipts/*/*/badge.json"):
        path.write_bytes(path.read_bytes().replace(b"logged", b"proven"))


def spoiling_site(instance: Workspace, secrets: Secrets) -> None:
    """A page altered, a file too many, one gone: in the last build's folder."""
    site = instance.root.parent / "site"
    if site.exists():
        pages = sorted(site.glob("receipts/*/*/index.html"))
        pages[0].write_text("<p>WITNESSED</p>")
        pages[1].with_name("more.html").write_text("more")
        pages[2].unlink()
        next(iter(site.glob("results/published/*/*.json"))).write_text("{}")
