"""The threat table of the log's specification, row by row: the tests that hold what it promises.

A line of the list below is a row of "Threats: expected behaviour, each with a test", in its own words. Under it
are its tests, each with the form that it takes: `stored` for a file in the repository (verify, audit, the pages),
`handed` for a file given to `verify` or checked without a record, `both`, and `other` where the threat is no file
of the record. Tests of this folder are the ones that other folders had no place for.

any leaf value of a receipt changed (test every path)
    both    pipeline/test_verify.py::test_any_leaf_value_changed_is_invalid_in_both_forms
    both    threats/test_receipt.py::test_any_member_of_a_receipt_removed_emptied_or_added
    both    threats/test_receipt.py::test_any_digit_of_the_signature_changed
    handed  pipeline/test_verify.py::test_every_key_removed_or_added_is_invalid
    stored  pipeline/test_build.py::test_a_tampered_receipt_gets_a_page_that_quotes_nothing_from_it
    stored  pipeline/test_audit_property.py::test_legal_histories_pass_and_one_changed_byte_is_found
    handed  browser/test_verify_threats.py::test_every_leaf_of_a_receipt_changed
    handed  browser/test_verify_threats.py::test_a_changed_leaf_is_invalid_to_the_visitor
    handed  browser/test_verify_firefox.py::test_every_leaf_of_a_receipt_changed_is_invalid

re-serialised JSON
    both    threats/test_receipt.py::test_re_serialised_json
    both    pipeline/test_verify.py::test_another_layout_is_checked_on_its_canonical_form_and_said
    stored  pipeline/test_audit_receipts.py::test_a_receipt_laid_out_anew_is_edited
    handed  browser/test_verify_page.py::test_another_layout_is_checked_on_its_canonical_form_and_said

duplicate key, `__proto__`, deep or huge JSON
    both    threats/test_receipt.py::test_duplicate_key_proto_deep_or_huge_json
    both    threats/test_receipt.py::test_the_limits_themselves_are_allowed
    stored  threats/test_receipt.py::test_malformed_files_in_the_repository
    handed  pipeline/test_verify.py::test_malformed_bytes_are_invalid_at_parse
    handed  cli/test_check.py::test_a_receipt_larger_than_any_is_invalid_at_parse
    other   canonical/test_vectors.py::test_rejected_documents_fail_for_this_reason_at_this_byte
    other   canonical/test_reader.py::test_nesting_never_reaches_the_interpreters_stack
    handed  browser/test_verify_threats.py::test_duplicate_key_proto_deep_or_huge_json
    handed  browser/test_verify_threats.py::test_the_largest_files_get_their_verdict_and_the_page_answers_meanwhile
    handed  browser/test_verify_firefox.py::test_malformed_and_huge_files_are_invalid_at_parse_and_the_page_answers

key swapped, key carried in the receipt
    both    pipeline/test_verify.py::test_a_key_swapped_in_the_repository_is_invalid_and_unknown_elsewhere
    both    threats/test_receipt.py::test_a_key_carried_in_the_receipt_is_never_used
    both    threats/test_receipt.py::test_a_key_put_among_the_key_files_is_not_used
    stored  pipeline/test_verify_record.py::test_key_files_that_contradict_the_log_are_an_integrity_error
    stored  pipeline/test_audit_documents.py::test_a_key_that_no_event_names
    handed  pipeline/test_verify.py::test_a_bad_signature_under_the_supplied_key_is_invalid
    handed  pipeline/test_verify.py::test_the_wrong_key_given_is_not_held_against_the_file
    handed  pipeline/test_verify.py::test_an_unchecked_signature_ends_in_5_and_the_hint_names_the_key
    handed  browser/test_verify_threats.py::test_a_key_carried_in_the_receipt_is_never_used
    handed  browser/test_verify_page.py::test_a_foreign_signer_s_key_is_used_for_that_signer_only

small-order key, non-canonical encoding, S >= L
    both    threats/test_receipt.py::test_small_order_key_non_canonical_encoding_s_at_least_l
    handed  threats/test_keys.py::test_small_order_key_announced_in_the_log
    handed  signing/test_text.py::test_keys_under_which_nothing_is_accepted_are_refused
    other   signing/test_verify.py::test_edge_cases_are_rejected
    other   signing/test_verify.py::test_all_twelve_edge_cases_are_there
    other   signing/test_verify.py::test_own_cases
    other   signing/test_verify.py::test_wycheproof
    other   signing/test_verify.py::test_an_engine_that_accepts_everything_is_not_asked
    handed  browser/test_verify_threats.py::test_small_order_key_non_canonical_encoding_s_at_least_l

a draft whose nested members imitate the envelope's (`intentId` in options)
    other   pipeline/test_trust.py::test_only_the_envelope_s_intent_reports_a_run
    other   pipeline/test_trust.py::test_a_payload_sets_no_member_of_the_envelope
    other   pipeline/test_inbox.py::test_whatever_it_says_somebody_else_ran_it

a receipt names another track's methodology
    both    threats/test_receipt.py::test_a_receipt_names_another_tracks_methodology
    handed  receipt/test_receipt.py::test_the_shared_vectors
    handed  receipt/test_receipt.py::test_no_way_to_a_receipt_takes_another_tracks_rules
    handed  js/test_theme_scripts.py::test_modules_do_what_they_say

a commit brings anything under `.benchsite/` (draft, journal, queue, attachment, link)
    other   pipeline/test_scratch.py::test_a_commit_that_holds_scratch_stops_every_append
    other   pipeline/test_scratch.py::test_a_commit_that_holds_scratch_is_refused_by_its_path
    other   pipeline/test_scratch.py::test_scratch_as_a_link_or_a_submodule_is_refused_too
    other   pipeline/test_scratch.py::test_nothing_is_written_through_a_link
    other   pipeline/test_scratch.py::test_a_planted_journal_restores_nothing_and_is_forgotten
    other   pipeline/test_scratch.py::test_a_journal_of_many_paths_is_not_even_read
    other   pipeline/test_check_code.py::test_scratch_files_are_refused_in_every_commit
    other   pipeline/test_check_code.py::test_a_link_or_a_submodule_in_place_of_scratch_is_refused
    other   pipeline/test_check_code.py::test_scratch_that_was_there_before_the_branch_must_be_removed

a child of one subject rewrites another's draft before it is published
    other   pipeline/test_scratch.py::test_a_draft_that_was_changed_after_its_run_is_refused
    other   pipeline/test_run.py::test_what_an_adapter_leaves_behind_cannot_touch_the_next_draft
    other   isolation/test_sandbox.py::test_a_child_in_a_session_of_its_own_ends_with_the_process
    other   isolation/test_sandbox.py::test_without_namespaces_orphans_are_adopted_and_ended
    other   isolation/test_sandbox.py::test_nothing_outlives_a_harness_that_is_killed

a measuring job hands over drafts of systems in no suite, or two for one entry
    other   pipeline/test_trust.py::test_a_job_hands_over_runs_of_the_suite_only
    other   pipeline/test_trust.py::test_an_entry_has_one_draft
    other   pipeline/test_trust.py::test_a_run_of_an_entry_is_published_once
    other   pipeline/test_trust.py::test_a_program_takes_no_name_of_the_suite
    other   pipeline/test_trust.py::test_a_job_s_draft_acts_on_nothing_and_names_no_other_runner
    other   pipeline/test_untrusted.py::test_a_measuring_job_does_not_choose_whose_judgement_is_signed
    other   pipeline/test_untrusted.py::test_the_digests_of_committed_sheets_lend_no_other_judgement_their_name
    other   pipeline/test_untrusted.py::test_a_suite_that_nobody_committed_lists_nothing
    other   pipeline/test_untrusted.py::test_a_measuring_job_puts_no_rules_into_force
    other   pipeline/test_inbox.py::test_a_job_takes_no_id_of_a_draft_that_was_sent

a small file with hundreds of thousands of faults
    stored  threats/test_fault_count.py::test_a_receipt_of_the_record_below_a_megabyte_is_named
    handed  threats/test_fault_count.py::test_a_receipt_below_a_megabyte_ends_in_invalid
    handed  threats/test_fault_count.py::test_a_receipt_of_eight_megabytes_ends_in_invalid
    handed  threats/test_fault_count.py::test_a_draft_is_refused
    handed  threats/test_fault_count.py::test_a_fixture_is_refused_with_its_first_problems
    handed  threats/test_fault_count.py::test_what_people_and_logs_write_is_refused
    other   test_schema.py::test_every_model_stops_at_its_first_faults

`pip.py`, `benchsite/__init__.py`, hooks or plug-ins in the branch
    other   test_ci_install.py::test_no_file_of_the_checkout_runs_or_takes_the_place_of_the_wheel
    other   test_ci_install.py::test_a_file_with_another_hash_is_not_installed
    other   test_workflows.py::test_the_signing_job_installs_the_core_runs_no_subject_and_stands_alone
    other   test_workflows.py::test_secrets_are_named_in_the_signing_step_and_nowhere_else
    other   repo/test_neutral.py::test_a_program_that_the_repositorys_settings_name_is_not_started
    other   pipeline/test_check.py::test_a_branch_whose_site_runs_code_finds_no_key
    other   pipeline/test_check_build.py::test_no_file_of_the_branch_takes_the_place_of_the_build
    other   pipeline/test_check_build.py::test_code_that_a_tag_names_is_refused_and_does_not_run
    other   pipeline/test_check_code.py::test_a_changed_file_that_can_run_code_is_named_with_what_runs_it
    other   pipeline/test_check_code.py::test_an_executable_a_link_and_a_submodule_are_named_wherever_they_are
    other   pipeline/test_check_code.py::test_settings_that_load_code_are_named

a subject asks for network or variables it was not granted
    other   tracks/retrieval/run/test_runner_start.py::test_what_is_not_granted_is_refused_by_name
    other   tracks/retrieval/run/test_runner_start.py::test_an_adapter_that_asks_again_once_started_gets_no_more
    other   pipeline/test_run.py::test_a_grant_of_the_configuration_is_found_by_the_name_of_the_suite
    other   pipeline/test_check_adapters.py::test_check_grants_nothing_even_where_the_branch_does
    other   isolation/test_sandbox.py::test_there_is_no_way_back_to_the_network
    other   isolation/test_proxy.py::test_a_hostile_program_reaches_the_granted_host_and_nothing_else
    other   isolation/test_proxy.py::test_a_name_that_resolves_to_this_machine_opens_nothing_here
    other   isolation/test_proxy.py::test_what_is_not_granted_or_malformed_is_refused
    other   isolation/test_http_request.py::test_what_two_parsers_could_read_differently_is_refused
    other   isolation/test_grants.py::test_a_limit_that_the_system_cannot_keep_is_refused

a subject writes into the repository, its drafts or its fixture while it is measured
    other   isolation/test_sandbox.py::test_sealed_folders_cannot_be_written_to
    other   isolation/test_sandbox.py::test_what_is_mounted_below_a_sealed_folder_is_sealed_too
    other   tracks/retrieval/run/test_runner_start.py::test_without_a_seal_a_changed_repository_spoils_the_run
    other   isolation/test_change_detection.py::test_what_is_added_removed_or_changed_is_named
    other   tracks/retrieval/run/test_runner_start.py::test_the_digest_is_taken_before_any_code_of_the_adapter
    other   tracks/retrieval/run/test_runner_start.py::test_a_program_that_replaces_itself_is_pinned_as_it_was

an adapter looks for keys
    other   threats/test_adapter.py::test_an_adapter_looks_for_keys
    other   test_environment.py::test_a_key_leaves_the_environment_and_its_block
    other   test_environment.py::test_the_process_becomes_undumpable
    other   tracks/retrieval/run/test_runner_start.py::test_no_key_reaches_an_adapter
    other   isolation/test_sandbox.py::test_key_files_and_sockets_of_services_are_out_of_reach
    other   isolation/test_sandbox.py::test_a_key_folder_that_holds_what_is_needed_is_not_hidden
    other   isolation/test_process.py::test_the_environment_is_an_allow_list
    other   isolation/test_process.py::test_only_granted_variables_that_exist_are_passed_and_never_ours

receipt deleted; edited; edited then restored
    stored  pipeline/test_audit_receipts.py::test_a_deleted_receipt_is_found_with_its_commit
    stored  pipeline/test_audit_receipts.py::test_deleted_then_added_again_names_both_commits
    stored  pipeline/test_audit_receipts.py::test_an_edited_receipt_is_found_with_its_commit
    stored  pipeline/test_audit_receipts.py::test_edited_then_restored_names_both_commits
    stored  pipeline/test_audit_history.py::test_an_edit_hidden_in_a_merge_is_found
    stored  pipeline/test_audit_history.py::test_a_forged_commit_graph_hides_no_commit
    stored  pipeline/test_evidence.py::test_verifying_everything_misses_a_pinned_document_until_it_is_withdrawn
    stored  pipeline/test_verify_record.py::test_a_missing_file_is_said_to_be_missing
    stored  site/pages/test_pages.py::test_a_missing_file_says_how_to_find_who_removed_it
    handed  threats/test_record.py::test_receipt_deleted
    both    threats/test_record.py::test_receipt_edited_and_signed_anew_by_its_own_key
    stored  browser/test_verify_in_place.py::test_a_file_that_the_host_has_changed_is_invalid_in_place
    stored  browser/test_verify_in_place.py::test_a_missing_file_is_said_and_a_second_press_checks_again

history rewritten (force push)
    stored  pipeline/test_audit_log.py::test_a_rewritten_history_no_longer_holds_what_was_remembered
    stored  pipeline/test_audit_log.py::test_entries_taken_back_by_the_holder_of_the_log_key
    stored  pipeline/test_log.py::test_cosigning_refuses_a_shorter_log
    stored  pipeline/test_events.py::test_a_remote_that_took_a_publish_back_is_not_built_upon
    stored  pipeline/test_events.py::test_a_remote_whose_log_lost_entries_is_not_built_upon
    handed  threats/test_record.py::test_history_rewritten_under_a_receipt_that_somebody_kept
    handed  browser/test_verify_log.py::test_a_list_that_excludes_the_one_seen_is_a_fork_and_both_heads_can_be_saved

two signed heads that are not consistent
    stored  pipeline/test_audit_log.py::test_a_signed_head_over_other_entries_in_the_past_is_a_split_view
    handed  pipeline/test_audit_log.py::test_a_split_view_is_kept_as_evidence
    handed  pipeline/test_log.py::test_cosigning_refuses_a_fork
    stored  pipeline/test_log.py::test_cosigning_without_a_state_still_refuses_what_its_own_lines_contradict
    stored  site/pages/test_log.py::test_without_witnesses_the_page_says_what_that_costs
    handed  browser/test_verify_log.py::test_a_head_that_the_host_splits_is_shown_with_both_signatures
    stored  browser/test_verify_in_place.py::test_the_log_page_exports_both_heads_of_a_fork

back-dated receipt
    stored  pipeline/test_log.py::test_a_back_dated_receipt_is_suspect
    stored  pipeline/test_log.py::test_a_back_dated_draft_is_not_published
    stored  threats/test_record.py::test_back_dated_receipt_without_witnesses_is_shown_as_claimed
    handed  history/test_examine_witness.py::test_a_receipt_dated_before_the_log_it_names_is_suspect
    handed  history/test_examine_witness.py::test_a_signed_file_that_is_not_logged_can_be_suspect_too
    handed  browser/test_verify_threats.py::test_back_dated_receipt
    handed  browser/test_verify_page.py::test_the_claimed_time_stands_beside_the_proven_one

leaked receipt key, leaked log key
    stored  pipeline/test_rotation.py::test_a_leaked_receipt_key_makes_later_receipts_suspect_and_leaves_earlier_ones
    stored  pipeline/test_rotation.py::test_a_leaked_log_key_counts_up_to_its_frozen_size_only
    stored  pipeline/test_rotation_procedure.py::test_a_leaked_receipt_key
    stored  pipeline/test_rotation_procedure.py::test_a_leaked_log_key
    handed  threats/test_keys.py::test_leaked_receipt_key
    handed  threats/test_keys.py::test_retired_receipt_key
    handed  pipeline/test_audit_log.py::test_a_checkpoint_by_a_disowned_key_does_not_count
    both    threats/test_keys.py::test_a_leaked_key_of_another_role_signs_no_receipt
    handed  browser/test_verify_threats.py::test_leaked_receipt_key

registered run never reported
    other   history/test_registration.py::test_what_was_announced_and_never_reported_is_listed_with_the_subjects_name
    other   pipeline/test_register.py::test_a_run_that_fails_leaves_its_announcement
    other   tracks/retrieval/pages/test_pages_links.py::test_an_announced_run_never_reported_stands_on_its_board

stale checkpoint (CDN lag)
    handed  pipeline/test_audit_log.py::test_a_larger_checkpoint_is_never_called_a_fork
    handed  pipeline/test_verify.py::test_a_newer_receipt_in_an_older_clone_is_not_yet_proven_and_not_invalid
    stored  pipeline/test_log.py::test_cosigning_refuses_a_shorter_log
    handed  browser/test_verify_log.py::test_a_shorter_list_is_stale_and_never_a_fork
    handed  browser/test_verify_log.py::test_an_older_served_head_is_stale

path traversal in ids, symlinks in results/
    both    threats/test_receipt.py::test_path_traversal_in_ids
    stored  threats/test_record.py::test_symlinks_in_results
    stored  pipeline/test_verify_record.py::test_a_stray_name_in_the_record_is_refused_by_name
    stored  pipeline/test_verify_record.py::test_a_symbolic_link_in_the_record_is_refused
    stored  pipeline/test_audit_receipts.py::test_a_symlink_that_came_and_went_is_still_named
    stored  pipeline/test_log.py::test_a_link_in_the_place_of_the_file_is_no_list_of_cosignatures
    stored  pipeline/test_inbox.py::test_a_link_is_refused_and_not_followed
    stored  pipeline/test_committed.py::test_a_link_out_of_the_repository_is_not_followed
    other   test_repo_trees.py::test_a_name_that_leaves_its_folder_is_refused
    other   log/test_entries.py::test_invalid_vectors
    handed  browser/test_verify_threats.py::test_path_traversal_in_ids_asks_for_no_path
    handed  browser/test_verify_page.py::test_an_address_that_names_none_fetches_nothing

script, bidi or control characters in any string
    both    threats/test_hostile_words.py::test_script_bidi_or_control_characters_in_any_string
    stored  pipeline/test_build.py::test_script_and_bidi_in_recorded_text_are_inert
    stored  tracks/retrieval/pages/test_pages.py::test_foreign_text_is_inert_on_a_certificate
    stored  site/test_render.py::test_foreign_text_is_inert_in_content_and_in_attributes
    stored  site/test_log_feed.py::test_the_words_of_strangers_are_inert
    stored  site/test_prose.py::test_links_of_other_schemes_are_words
    stored  site/test_prose.py::test_a_foreign_image_is_its_description
    stored  site/test_prose.py::test_characters_that_reorder_or_hide_are_written_out
    stored  site/test_prose.py::test_no_text_at_all_makes_a_hostile_page
    stored  test_tabular.py::test_text_that_a_spreadsheet_would_run_is_marked_and_numbers_are_not
    other   test_unseen.py::test_both_tables_are_what_unicode_says_over_every_code_point
    other   test_unseen.py::test_a_name_blank_to_the_eye_is_refused
    handed  cli/test_story.py::test_hostile_file_names_and_contents_print_escaped
    handed  browser/test_verify_threats.py::test_script_bidi_or_control_characters_in_any_string_are_shown_and_inert
    handed  browser/test_verify_threats.py::test_hostile_words_in_each_string_by_itself
    handed  browser/test_verify_threats.py::test_hostile_file_names_are_inert
    handed  browser/test_verify_firefox.py::test_hostile_strings_are_shown_and_inert

two publishers at once; kill -9 at any point of `publish`; full disk
    other   pipeline/test_concurrency.py::test_eight_clones_of_one_remote_publish_at_once
    other   pipeline/test_concurrency.py::test_eight_processes_in_one_clone_publish_a_draft_each_at_once
    other   pipeline/test_concurrency.py::test_eight_processes_that_want_the_same_drafts_publish_them_once
    other   pipeline/test_faults.py::test_a_kill_at_a_sampled_boundary_of_publish_loses_and_doubles_nothing
    other   pipeline/test_faults.py::test_a_kill_at_any_time_is_mended
    other   pipeline/test_disk.py::test_a_disk_that_fills_up_stops_publish_with_a_sentence_and_loses_nothing
    other   pipeline/test_disk.py::test_files_that_may_not_grow_stop_publish_with_a_sentence_and_lose_nothing
    other   pipeline/test_overtaken.py::test_the_commands_of_the_refusal_publish_the_draft_and_its_evidence
    other   pipeline/test_overtaken.py::test_a_rejected_push_leaves_no_second_checkpoint

two pieces of evidence for one fact contradict each other (trace and action record)
    other   threats/test_evidence.py::test_a_trace_that_contradicts_its_actions

evidence of a submitter that makes our code raise
    other   pipeline/test_submitter_faults.py::test_the_draft_is_left_out_with_the_type_of_the_fault
    other   pipeline/test_submitter_faults.py::test_wherever_it_is_raised_the_others_go_on
    other   pipeline/test_submitter_faults.py::test_what_fails_inside_the_lock_only_stops_no_other
    other   pipeline/test_submitter_faults.py::test_a_reviewer_reads_a_sentence
    other   pipeline/test_submitter_faults.py::test_check_names_the_file

input whose cost is not linear in its length (expressions, backtracking, quadratic parsers)
    other   threats/test_evidence.py::test_actions_whose_parsing_is_not_linear

a track package's code in the browser answers in the engine's place
    other   browser/test_foreign_documents.py::test_chromium_scores_other_tracks_beside_modules_that_fail

a committed link, or an untracked file in `content/` or `theme/`, that holds a secret
    other   pipeline/test_build_prose.py::test_a_tracked_link_to_what_git_does_not_track_is_refused
    other   pipeline/test_build_prose.py::test_of_a_linked_folder_only_tracked_files_are_served
    other   pipeline/test_build_prose.py::test_a_private_key_stops_the_build

slow or many mirrors
    other   pipeline/test_mirrors.py::test_a_host_that_ran_into_a_limit_is_not_asked_again
    other   pipeline/test_mirrors.py::test_a_command_has_one_budget
    other   pipeline/test_mirrors.py::test_processes_of_a_command_share_it
    other   pipeline/test_mirrors.py::test_what_is_not_the_evidence_costs_no_memory
    other   pipeline/test_mirrors.py::test_the_pieces_of_a_receipt_are_bounded

publishing while a build or `verify --all` runs
    other   pipeline/test_one_commit.py::test_a_publish_while_a_command_runs_changes_nothing
    other   pipeline/test_one_commit.py::test_a_publish_at_any_moment_of_a_build_gives_the_site_of_one_commit
"""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
LINE = re.compile(r"    (both|stored|handed|other) +(\S+\.py)::(test_\w+)")
# These threats are no file of the record that could be handed over.
FORMLESS = (
    "a draft whose",
    "a commit brings",
    "a child of one subject",
    "a measuring job",
    "`pip.py`",
    "a subject",
    "an adapter",
    "registered run",
    "two publishers",
    "publishing while",
    "two pieces",
    "evidence of a submitter",
    "input whose cost",
    "a track package",
    "a committed link",
    "slow or many mirrors",
)


def table() -> dict[str, list[tuple[str, str, str]]]:
    """Row to (form, file, test): this module's docstring from its third paragraph on."""
    rows = {}
    for paragraph in (__doc__ or "").strip().split("\n\n")[2:]:
        row, *tests = paragraph.split("\n")
        found = [LINE.fullmatch(line) for line in tests]
        assert all(found), row
        rows[row] = [(line[1], line[2], line[3]) for line in found if line is not None]
    return rows


@functools.cache
def functions(file: str) -> dict[str, str]:
    """The test functions of a file, each with its decorators."""
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return {
        node.name: " ".join(map(ast.unparse, node.decorator_list))
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_the_rows_are_those_of_the_specification(shared: Path) -> None:
    text = (shared / "specs" / "log.md").read_text(encoding="utf-8")
    section = text.partition("\n## Threats")[2].partition("\n## ")[0]
    cells = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("|")]
    assert list(table()) == cells[2:]


def test_security_md_says_rows_of_this_table_and_names_tests_of_theirs(root: Path) -> None:
    text = (root / "SECURITY.md").read_text(encoding="utf-8")
    said = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.startswith("|")]
    assert len(said) > 2
    for _, row, _, test, _ in said[2:]:
        assert test.strip("`") in {f"{file}::{name}" for _, file, name in table()[row]}


@pytest.mark.parametrize("row", table())
def test_every_row_has_its_tests_in_both_forms(row: str) -> None:
    forms = {form for form, _, _ in table()[row]}
    if row.startswith(FORMLESS):
        assert forms == {"other"}
    else:
        assert "both" in forms or {"stored", "handed"} <= forms
    for _, file, name in table()[row]:
        assert name in functions(file), f"{row}: {file} has no {name}"
        assert not re.search(r"(^| )pytest\.mark\.(full|skip|xfail)\b", functions(file)[name]), (
            f"{name} is not always run"
        )


def test_every_test_of_this_folder_stands_in_the_table() -> None:
    named = {(file, name) for tests in table().values() for _, file, name in tests}
    for path in Path(__file__).parent.glob("test_*.py"):
        file = path.relative_to(TESTS).as_posix()
        own = functions(file) if path != Path(__file__).resolve() else {}
        assert {(file, name) for name in own} <= named
