"""Jobs that reduce shards to complexities, dissimilarities, the intelligence space and scores."""
