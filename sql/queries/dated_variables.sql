-- The values of a variable as a time series, one column per date and one line per container: of the variable that
-- changes most often.
--
-- Needs: variables.
WITH parameters AS (
    SELECT type
    FROM variables
    GROUP BY type
    ORDER BY count(*) DESC, type
    LIMIT 1
)
SELECT
    started_at AS time,
    container_id,
    container,
    type,
    value
FROM dated_variables
WHERE type = (SELECT type FROM parameters)
ORDER BY time, container_id
