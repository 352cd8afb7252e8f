-- Which p to try: every different overview of the trace, how many areas it has and what it loses.
--
-- Needs: states.
SELECT
    p,
    aggregates,
    gain,
    loss
FROM partition_levels(slices => 12)
ORDER BY p
