"""The bundle is one script that behaves as its modules do, and the page's policy admits nothing else."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from benchsite.errors import BenchsiteError
from benchsite.pipeline.browser import verifier, verify_files
from benchsite.site.verifier import FONTS, Verifier, bundle, with_tracks

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
    paths = [path for path in folder.rglob("*.*") if path.suffix in {".js", ".css", ".html"}]
    again = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    files = {**again, FONTS: verify_files()[FONTS]}
    assert Verifier.of(dict(sorted(files.items(), reverse=True))).page == page()


def test_the_fonts_of_the_site_are_in_the_page_and_no_policy_lets_another_in():
    faces = re.findall(
        r'font-family: "([^"]+)"; font-weight: (\d+); src: url\("data:font/woff2;base64,', page()
    )
    assert faces == [("IBM Plex Sans", "400"), ("Source Serif 4", "600")]
    assert "font-src data:;" in page()


def test_the_policy_names_the_mirrors_and_the_engine_hash_does_not():
    ours = verifier()
    served = ours.with_trust(b'{"mirrors":["https://m.example/evidence","https://n.example:8443"]}').decode()
    assert "; connect-src 'self' https://m.example/evidence/ https://n.example:8443/; " in served
    emptied = re.sub(r'(<script type="application/json" id="trust">)[^<]*(</script>)', r"\1\2", served)
    emptied = re.sub(r"connect-src 'self'[^;]*", "connect-src 'self'", emptied)
    assert sha256(emptied.encode()).hexdigest() == ours.engine_hash


def test_a_link_preview_has_the_address_and_the_picture_where_the_site_is_known():
    served = verifier().with_trust(b"{}", 'https://b.invalid/"sub"/').decode()
    head = served.partition("</head>")[0]
    assert '<meta property="og:url" content="https://b.invalid/&quot;sub&quot;/verify.html">\n' in head
    assert (
        '<meta property="og:image" content="https://b.invalid/&quot;sub&quot;/assets/cards/receipt.png">\n'
        in head
    )
    assert "og:url" not in verifier().with_trust(b"{}").decode()


@pytest.mark.skipif(shutil.which("sed") is None, reason="RECIPE NOT RUN: sed is not installed")
@pytest.mark.parametrize("mirrors", ["", '"mirrors":["https://m.example/e"],'])
@pytest.mark.parametrize("place", ["page", "documentation"])
@pytest.mark.parametrize("site_url", ["", "https://b.invalid/it's&sub/"])
def test_the_recipe_prints_the_engine_hash(
    tmp_path: Path, root: Path, mirrors: str, place: str, site_url: str
):
    ours = verifier()
    (tmp_path / "site").mkdir()
    for name in ("verify.html", "site/verify.html"):
        (tmp_path / name).write_bytes(ours.with_trust(f'{{{mirrors}"site":"a"}}'.encode(), site_url))
    text = (root / "content/docs/verify-in-your-browser.md").read_text(encoding="utf-8")
    told = html.unescape(ours.page.partition('id="keep"')[2]) if place == "page" else text
    recipe = re.search(r"(?:\$ |<code>)(sed .* \| sha256sum)", told)
    assert recipe
    run = subprocess.run(["sh", "-c", recipe[1]], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.split()[0] == ours.engine_hash


@pytest.mark.parametrize(
    "address",
    [
        "http://m.example/",
        "https://m.example/;",
        "https://m.example/ *",
        "https://",
        "*",
        "https://m.example/?a",
    ],
)
def test_a_mirror_that_could_change_the_policy_is_refused(address: str):
    with pytest.raises(BenchsiteError, match="mirror address"):
        verifier().with_trust(json.dumps({"mirrors": [address]}).encode())


OURS = {"rescore-retrieval.js": "export const RETRIEVAL = 1;\n", "shape.js": "export const text = 2;\n"}
THEIRS = {
    "rescore-my-agents.js": 'import { PAYLOAD } from "./shapes-my-agents.js";\nexport const MY_AGENTS = PAYLOAD;\n',
    "shapes-my-agents.js": 'import { text } from "./shape.js";\nexport const PAYLOAD = text;\n',
}


def test_tracks_of_other_packages_are_named_and_each_has_a_worker():
    joined = with_tracks(OURS, {"my-agents": THEIRS})
    assert re.findall(r'\["([a-z-]+)", ([A-Z_]+)\]', joined["tracks.js"]) == [("retrieval", "RETRIEVAL")]
    assert 'export const OTHERS = new Set(["my-agents"]);' in joined["tracks.js"]
    assert 'import { MY_AGENTS } from "./rescore-my-agents.js";' in joined["worker-my-agents.js"]


def with_theirs(text: str) -> str:
    theirs = {**THEIRS, "shapes-my-agents.js": text}
    return Verifier.of(with_tracks(verify_files(), {"my-agents": theirs})).page


def script_of(page: str) -> str:
    return page.rpartition("<script>")[2].partition("</script>")[0]


def blocks_of(page: str) -> list[str]:
    return re.findall(r'<script type="text/plain" data-track="my-agents">\n(.*?)</script>', page, re.DOTALL)


def test_their_modules_are_text_on_the_page_and_change_nothing_that_runs_there():
    sound, other = (with_theirs(f"export const PAYLOAD = {value};\n") for value in ("7", "{ not JavaScript"))
    assert script_of(sound) == script_of(other)
    assert script_of(sound).replace('new Set(["my-agents"])', "new Set([])") == script_of(page())
    policy = re.compile(r'content="default-src[^"]*"')
    assert policy.findall(sound) == policy.findall(other)
    [block] = blocks_of(sound)
    assert "const PAYLOAD = 7;" in block
    assert re.findall("^const (module_[a-z_]+) = ", block, re.MULTILINE) == [
        "module_shapes_my_agents",
        "module_rescore_my_agents",
        "module_worker_my_agents",
    ]
    assert sha256(sound.encode()).hexdigest() != verifier().engine_hash


def test_their_modules_can_neither_end_their_element_nor_name_another():
    for text in ('"</script>"', '"<SCRIPT>"', '"<!--"'):
        with pytest.raises(BenchsiteError, match=r"shapes-my-agents\.js: .*bundle"):
            with_theirs(f"export const PAYLOAD = {text};\n")


@pytest.mark.skipif(shutil.which("node") is None, reason="BUNDLE NOT RUN: node is not installed")
def test_engine_and_block_are_the_script_of_their_worker(tmp_path: Path):
    made = with_theirs("export const PAYLOAD = 7;\n")
    tail = "console.log([...module_tracks.TRACKS].filter(([name]) => name === 'my-agents'), typeof self.onmessage);"
    script = tmp_path / "worker.cjs"
    script.write_text(f"const self = {{}};\n{script_of(made)}{blocks_of(made)[0]}{tail}")
    run = subprocess.run(["node", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[ [ 'my-agents', 7 ] ] function"


def test_without_them_the_list_is_the_one_of_the_release(root: Path):
    folder = root / "theme" / "verify"
    files = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.js")}
    assert with_tracks(files, {}) == files


@pytest.mark.parametrize(
    "modules",
    [
        {"shapes-my-agents.js": ""},
        {"rescore-my-agents.js": "", "shape.js": ""},
        {"rescore-my-agents.js": "", "rescore-retrieval.js": ""},
        {"rescore-my-agents.js": "", "evil.js": ""},
        {"rescore-my-agents.js": "", "worker-my-agents.js": ""},
    ],
)
def test_modules_of_other_packages_have_names_of_their_own(modules: dict[str, str]):
    with pytest.raises(BenchsiteError, match="track 'my-agents'"):
        with_tracks(OURS, {"my-agents": modules})
