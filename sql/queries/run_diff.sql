-- Which states grew most from one run to another, on average over the containers; name two traces of the store.
SELECT
    value,
    avg(left_share) AS left_share,
    avg(right_share) AS right_share,
    avg(difference) AS difference
FROM run_diff('quickstart', 'quickstart')
GROUP BY value
ORDER BY difference DESC, value
