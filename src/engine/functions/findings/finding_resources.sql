-- How long each resource is used up to its capacity within the window: a variable X_used at the value of the variable X of its
-- container, or within 1 % of it. The capacity is the largest value of X.
WITH parts AS (
    SELECT
        container_id,
        type,
        value,
        least(CAST(end_time AS DOUBLE), $stop) - greatest(CAST(start_time AS DOUBLE), $start) AS seconds
    FROM given.plans.variables
),
capacities AS (
    SELECT
        container_id,
        concat(type, '_used') AS used_type,
        max(value) AS capacity
    FROM parts
    WHERE seconds > 0
    GROUP BY container_id, type
)
SELECT
    parts.container_id,
    parts.type,
    sum(CASE WHEN parts.value >= 0.99 * capacities.capacity THEN parts.seconds ELSE 0.0 END) AS seconds
FROM parts
JOIN capacities
    ON capacities.container_id = parts.container_id
    AND capacities.used_type = parts.type
WHERE parts.seconds > 0 AND capacities.capacity > 0
GROUP BY parts.container_id, parts.type
