"""Code-repair: faulty Python functions with tests that systems run, graded by these and further tests in a sandbox."""
