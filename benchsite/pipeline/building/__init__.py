"""The parts of `benchsite.pipeline.build`: what is kept between builds, the receipts' pages, and the folder written."""
