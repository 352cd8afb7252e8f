-- The values that states, events and links have, with the color that the trace gives them and the time in states.
SELECT
    entity_values.name,
    entity_values.type,
    color,
    CAST(coalesce(ticks, 0) AS DOUBLE) AS ticks
FROM entity_values
LEFT JOIN (
    SELECT value, sum(end_tick - start_tick) AS ticks
    FROM state_segments
    GROUP BY value
) AS times ON times.value = entity_values.name
ORDER BY entity_values.name, entity_values.type
