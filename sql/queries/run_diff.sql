-- Which states grew most from one run to another, on average over the containers, and how many containers were matched.
--
-- Name the baseline: run_diff('before') compares the current trace with it, run_diff('before', 'after') any two; by => 'name'
-- or by => 'position' where hosts differ. Without names the trace is compared with itself: every difference is 0.
-- Needs: states.
SELECT
    type,
    value,
    avg(left_share) AS left_share,
    avg(right_share) AS right_share,
    avg(difference) AS difference,
    max(matched) AS matched
FROM run_diff()
GROUP BY type, value
ORDER BY difference DESC, type, value
