"""What a build keeps is read back as it was written: headers as lines, and the file of them."""

from __future__ import annotations

import json
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchsite import history
from benchsite.history import Header, Verdict
from benchsite.pipeline.building import cache, headers

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
NUMBERS = st.none() | st.integers(0, 9) | st.floats(allow_nan=False, allow_infinity=False)
HEADERS = st.builds(
    Header,
    **dict.fromkeys(
        ("receipt_id", "track", "path", "blob_id", "sha256", "ran_at", "ran_by", "signer"), WORDS
    ),
    size=st.integers(0),
    index=st.none() | st.integers(0),
    verdict=st.sampled_from(Verdict),
    rescore=st.sampled_from(history.Rescore),
    steps=st.lists(
        st.builds(
            history.Step,
            WORDS,
            st.sampled_from(["pass", "fail", "warning", "not checked"]),
            WORDS,
            WORDS,
            WORDS,
        )
    ).map(tuple),
    summary=st.none()
    | st.builds(
        history.Summary,
        st.builds(history.Subject, WORDS, WORDS, WORDS),
        *[WORDS] * 4,
        st.builds(history.Headline, WORDS, NUMBERS, NUMBERS, NUMBERS),
        st.lists(WORDS).map(tuple),
        WORDS,
    ),
    evidence=st.lists(st.tuples(WORDS, st.integers(0), st.booleans())).map(tuple),
    unranked=st.lists(WORDS).map(tuple),
    superseded_by=st.none() | WORDS,
    head=st.none() | st.integers(0),
    registered=st.booleans(),
)


@given(header=HEADERS)
def test_a_header_is_read_back_as_it_was_written(header: Header) -> None:
    assert headers.decoded(headers.encoded(header), None) == header


LINES = st.dictionaries(
    st.uuids().map(str),
    st.tuples(
        st.binary(max_size=32).map(bytes.hex),
        WORDS.map(json.dumps),
        *[st.binary(min_size=32, max_size=32)] * 2,
    ),
)


@given(lines=LINES)
def test_what_is_kept_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, lines: dict[str, tuple[str, str, bytes, bytes]]
) -> None:
    root = tmp_path_factory.mktemp("kept")
    with cache.keeping(root, "r", cache.LogState(7, "ab")) as keeping:
        for name, (facts, line, _, _) in lines.items():
            keeping.verdict(name, cache.Judged(facts, line))
        for name, (_, _, key, page) in lines.items():
            keeping.page(name, cache.Shown(key, page))
    with closing(cache.load(root, "r")) as kept:
        assert (len(kept), kept.state) == (len(lines), (7, "ab"))
        for name, (facts, line, key, page) in lines.items():
            assert (kept.judged(name), kept.pages[name]) == ((facts, line), (key, page))
    assert len(cache.load(root, "another")) == 0
