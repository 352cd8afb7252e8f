-- How unevenly states are spread
-- Imbalance is the longest time over the mean, minus one: 0 is even. Only states that take a hundredth of the time.
SELECT depth, type, value, containers, mean_seconds, max_seconds, imbalance, worst
FROM load_imbalance
WHERE mean_seconds > 0.01 * (SELECT coalesce(max(end_time) - min(start_time), 0) FROM trace_info) AND containers > 1
ORDER BY imbalance DESC, depth, type, value
