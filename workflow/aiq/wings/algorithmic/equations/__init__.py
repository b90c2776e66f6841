"""The Algorithmic Intelligence Quotient (Legg and Veness 2013): mean reward in environments that are random programs.

From programs to numbers: `sampling.sample_programs` draws them in shards, `programs.Population` holds a sample,
`runs.run_adaptive` (or `next_stage`, `missing_blocks` and `run_blocks`, where the work is shared out) runs an agent on
them, and `quotient`, `difference` and `by_length` of `estimation` reduce the outcomes.
"""
