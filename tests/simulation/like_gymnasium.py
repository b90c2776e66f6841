"""Whether worlds side by side are, step by step, the Gymnasium environments of their seeds."""

import numpy as np
import torch


def check_like_gymnasium(domain, environments, seeds, steps, flat=np.asarray):
    """Give both the same random actions, begin anew where an episode is over, and return how many were."""
    every, random, ends = torch.ones(len(seeds), dtype=torch.bool), np.random.default_rng(1), 0
    worlds = domain.worlds(seeds)
    seen = worlds.reset(every)
    for lane, environment in enumerate(environments):
        assert np.array_equal(flat(environment.reset(seed=seeds[lane])[0]), seen[lane].numpy())
    for _ in range(steps):
        actions = random.integers(0, domain.actions, len(seeds))
        outcome = worlds.step(torch.from_numpy(actions), every)
        seen = worlds.reset(outcome.terminated | outcome.truncated)
        for lane, environment in enumerate(environments):
            observed, reward, *over, _ = environment.step(int(actions[lane]))
            assert np.array_equal(flat(observed), outcome.observation[lane].numpy())
            assert np.float32(reward) == outcome.reward[lane]
            assert over == [bool(outcome.terminated[lane]), bool(outcome.truncated[lane])]
            if any(over):
                ends += 1
                assert np.array_equal(flat(environment.reset()[0]), seen[lane].numpy())
    worlds.close()
    return ends
