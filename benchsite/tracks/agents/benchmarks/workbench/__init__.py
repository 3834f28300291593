"""WorkBench (olly-styles/WorkBench, MIT): office tasks with tools over five tables, graded by the final state.

    document = importer.convert({name: bytes})           # processed/ as published
    data = dataset.parse(canonical.dumps(document), where="fixture.json")
    published = results.read(data, {name: bytes}, "gpt-4_all")
    grades = [Grader(data).grade(row.task, row.actions, row.error) for row in published.rows]

Pure: bytes and models in, values out. No path, clock, socket or pandas, so verification may use all of it.
Actions and transcripts are read with `ast` and never evaluated.
"""
