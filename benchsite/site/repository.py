"""Where a reader finds the repository of a site: web addresses made from `repo_url` or the address of a remote.

Read are `https`, `http`, `ssh` and `git` URLs and the scp form `git@host:owner/name.git`. Credentials, the port of
another protocol, query and fragment are dropped, never shown. Refused, and then nothing is linked: a path of this
machine, another scheme, a host or a path of other characters.

Links name `HEAD`, which hosts resolve to the default branch: so a page does not depend on the branches of a clone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

__all__ = ["Hosted", "hosted", "web_address"]

LONGEST: Final = 500
_URL: Final = re.compile(
    r"(?P<scheme>https?|ssh|git(?:\+ssh)?)://(?:[^/?#]*@)?(?P<host>[^/:?#@]+)(?P<port>:[0-9]{1,5})?/+(?P<path>[^?#]*)"
    r"(?:[?#].*)?"
)
_SCP: Final = re.compile(r"(?:[^/@:]+@)?(?P<host>[^/:@]+):(?P<path>(?!//)[^?#]+)")
_HOST: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.)*[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*")
_PATH: Final = re.compile(r"[A-Za-z0-9_~][A-Za-z0-9._~-]*(?:/[A-Za-z0-9_~][A-Za-z0-9._~-]*)*")
_FORMS: Final = (
    ("gitlab", "-/blob/HEAD", "-/edit/HEAD"),
    ("codeberg", "src/commit/HEAD", "src/commit/HEAD"),
    ("gitea", "src/commit/HEAD", "src/commit/HEAD"),
    ("forgejo", "src/commit/HEAD", "src/commit/HEAD"),
    ("bitbucket", "src/HEAD", "src/HEAD"),
    ("", "blob/HEAD", "edit/HEAD"),
)
"""What a host's name contains, and how it addresses a file to read and to edit; GitHub's form where none is known.

Forgejo, Gitea and Bitbucket edit a file only on a named branch: there the link leads to the file.
"""


@dataclass(frozen=True, slots=True)
class Hosted:
    """A repository on the web: its address without a slash at the end, and the instance's folder in it with one, or empty."""

    url: str
    below: str = ""

    @property
    def clone(self) -> str:
        """What `git clone` takes."""
        return self.url

    @property
    def folder(self) -> str:
        """The instance's folder in a clone, with a slash before it; empty at the top."""
        return f"/{self.below}".rstrip("/")

    @property
    def issues(self) -> str:
        """The page of its issues."""
        return f"{self.url}/{'-/' if self._form[0] == 'gitlab' else ''}issues"

    def file(self, path: str) -> str:
        """The page of a file on the default branch."""
        return f"{self.url}/{self._form[1]}/{quote(self.below + path)}"

    def edit(self, path: str) -> str:
        """The page on which a file of the default branch can be edited."""
        return f"{self.url}/{self._form[2]}/{quote(self.below + path)}"

    @property
    def _form(self) -> tuple[str, str, str]:
        host = self.url.partition("://")[2].partition("/")[0]
        return next(form for form in _FORMS if form[0] in host)


def hosted(repo_url: str, remote: str | None, below: str = "") -> Hosted | None:
    """The repository that the settings name, else that of the remote; None where neither has a web address."""
    address = web_address(repo_url) or web_address(remote or "")
    return Hosted(address, below) if address else None


def web_address(remote: str) -> str:
    """`https://host/owner/name` of a git remote; empty where it has none."""
    text = remote.strip()
    if len(text) > LONGEST:
        return ""
    found = _URL.fullmatch(text) or (_SCP.fullmatch(text) if "://" not in text else None)
    if found is None:
        return ""
    parts = found.groupdict()
    host, path = parts["host"].lower(), parts["path"].strip("/").removesuffix(".git")
    is_web = parts.get("scheme") in ("http", "https")
    if not _HOST.fullmatch(host) or not _PATH.fullmatch(path) or (not is_web and "." not in host):
        return ""
    port = (parts.get("port") or "") if is_web else ""
    return f"{parts['scheme'] if is_web else 'https'}://{host}{port}/{path}"
