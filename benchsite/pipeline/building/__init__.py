"""The parts of `benchsite.pipeline.build`: sources, pages, pages of the previous site, and the folder written."""
