-- How unevenly each state is spread over the containers: the longest total over the mean; 1 is even.
WITH totals AS (
    SELECT
        container_id,
        value,
        sum(duration) AS seconds
    FROM state_segments
    GROUP BY container_id, value
)
SELECT
    value,
    count(*) AS containers,
    avg(seconds) AS mean_seconds,
    max(seconds) AS longest_seconds,
    max(seconds) / nullif(avg(seconds), 0) AS imbalance
FROM totals
GROUP BY value
ORDER BY imbalance DESC, value
