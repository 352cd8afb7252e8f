-- The values of a variable as a time series, one column per date and one line per container.
SELECT
    started_at AS time,
    container,
    value
FROM dated_variables
WHERE type = 'power'
ORDER BY time, container
