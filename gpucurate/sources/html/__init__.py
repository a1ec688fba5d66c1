"""HTML to text: engines that pick the main content of a page, run where they can do no harm.

`engines` holds the functions that run in the sandbox, `extractor` the side that the sources see.  Nothing here knows
where a page comes from; it arrives as text, its charset already decided.
"""
