"""Making the model of `engine: blocks`: pages, teachers, labels, training, evaluation.

Pages come with what is known of them (an article cut by hand, phrases that must or must not be in the text, nothing);
several extractors say what they would keep, and trees learn to say it for single blocks.  This room makes
`sources/html/blocks/model.npz` and is not needed to use it.
"""
