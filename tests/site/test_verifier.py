"""The bundle is one script that behaves as its modules do, and the page's policy admits nothing else."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from benchsite.errors import BenchsiteError
from benchsite.pipeline.build import verifier
from benchsite.site.verifier import Verifier, bundle

MODULES = {
    "sum.js": "// Adds.\n\n/** @param {number} a */\nexport const add = (a, b) => a + b;\n",
    "vendor/deep.js": "const hidden = 7;\nexport { hidden as seven };\n",
    "service.js": (
        'import { add } from "./sum.js";\nimport {\n  seven,\n} from "./vendor/deep.js";\n'
        "export function serve(scope) { scope.answer = add(seven, 1); }\n"
    ),
    "page.js": 'import { add } from "./sum.js";\nexport function start(source) { return add(source, 0); }\n',
}


def refused(**changed: str) -> str:
    with pytest.raises(BenchsiteError) as caught:
        bundle({**MODULES, **{f"{name}.js": text for name, text in changed.items()}})
    return caught.value.message


@pytest.mark.skipif(shutil.which("node") is None, reason="BUNDLE NOT RUN: node is not installed")
def test_the_bundle_serves_as_a_worker_where_there_is_no_document():
    script = f"const self = {{}};\n(0, (self) => {{ {bundle(MODULES)} }})(self);\nconsole.log(self.answer);"
    run = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "8"  # seven + 1


def test_every_module_is_there_once_and_after_what_it_imports():
    text = bundle(MODULES)
    at = [text.index(f"const module_{name} = ") for name in ("sum", "vendor_deep", "service", "page")]
    assert at == sorted(at)
    assert text.count("const add = ") == 1


def test_comments_on_their_own_lines_are_left_out():
    text = bundle(MODULES)
    assert "Adds." not in text
    assert "@param" not in text


def test_the_licence_notice_of_what_is_vendored_stays():
    assert "/*! noble-ed25519 - MIT License" in page()


def test_what_the_bundle_does_not_cover_is_refused_by_name():
    assert "sum.js" in refused(sum='import x from "./page.js";\nexport const add = 1;\n')
    assert "does not export nothing" in refused(
        page='import { nothing } from "./sum.js";\nexport function start() { return nothing; }\n'
    )
    # A `let` would be copied before it changes; of a list of constants only the first would be exported.
    assert "export let" in refused(sum="export let add = 1;\n")
    assert "export const add" in refused(sum="export const add\n  = 1;\n")
    # In a classic script `<!--` begins a comment, and with `<script` it keeps the element from ending.
    assert "<!--" in refused(sum='export const add = "<!--";\n')
    assert "<script" in refused(sum='export const add = "<script>";\n')
    assert "</script" in refused(sum='export const add = "</SCRIPT>";\n'.lower())
    # A line after a continued string could look like a comment and be cut.
    assert "does not cover" in refused(sum='export const add = "a\\\n// b";\n')
    assert "sum.js" in refused(sum="export default 1;\n")
    assert "sum.js" in refused(sum='export const add = () => import("./page.js");\n')
    assert "spans lines" in refused(sum="export const add = `a\nb`;\n")
    assert "imports" in refused(sum='import { start } from "./page.js";\nexport const add = start;\n')
    assert "gone.js is missing" in refused(sum='import { x } from "./gone.js";\nexport const add = x;\n')


def page() -> str:
    return verifier().page


def test_the_policy_names_script_and_style_by_their_own_hashes():
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page())
    assert policy
    for tag in ("script", "style"):
        inner = re.search(rf"<{tag}>(.*?)</{tag}>", page(), re.DOTALL)
        assert inner
        digest = b64encode(sha256(inner[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}';" in policy[1]
    assert "unsafe" not in policy[1]
    assert policy[1].startswith("default-src 'none';")


def test_the_page_names_no_other_file():
    assert not re.findall(r'(?:src|href)="(?!#|data:|\./"|\./[a-z]*/")[^"]*"', page())


def test_the_engine_hash_is_that_of_the_file_with_its_trust_data_empty():
    ours = verifier()
    served = ours.with_trust(b'{"site":"</script><b>"}').decode()
    emptied = re.sub(r'(<script type="application/json" id="trust">)[^<]*(</script>)', r"\1\2", served)
    assert sha256(emptied.encode()).hexdigest() == ours.engine_hash


def test_text_in_the_trust_data_cannot_end_its_element():
    served = verifier().with_trust(b'{"site":"</script><b>"}').decode()
    inner = re.search(r'id="trust">([^<]*)</script>', served)
    assert inner
    assert json.loads(inner[1]) == {"site": "</script><b>"}


def test_two_bundles_of_one_release_are_the_same_bytes(root: Path):
    folder = root / "theme" / "verify"
    files = {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.*"), reverse=True)
        if path.suffix in {".js", ".css", ".html"}
    }
    assert Verifier.of(files).page == page()
