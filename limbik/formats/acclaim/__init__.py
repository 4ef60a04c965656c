"""Acclaim's files, as CMU's motion capture library has them: ASF skeletons and AMC motions."""
