-- The mean of every variable over the time it had a value.
--
-- Needs: variables.
SELECT
    container_id,
    container,
    type,
    sum(value * duration) / nullif(sum(duration), 0) AS mean,
    min(value) AS least,
    max(value) AS most
FROM variables
GROUP BY container_id, container, type
ORDER BY container_id, type
