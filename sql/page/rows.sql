-- The rows of the user's own statement as a group of rows, in columns of pixels: a row per span of columns that hold the
-- same, and value that occurs in it.
SELECT
    CAST(0 AS TINYINT) AS level, container_id, type, CAST(first_column AS SMALLINT) AS first_column,
    CAST(last_column - first_column AS SMALLINT) AS further_columns, value, CAST(pixels AS TINYINT) AS pixels,
    CAST(round(share * (end_tick - start_tick)) AS BIGINT) AS ticks, end_tick - start_tick AS length,
    CAST(states AS INTEGER) AS states, exact
FROM timeline(
    (SELECT container_id, 'SQL' AS type, :value AS value, :times
     FROM (
:rows
     ) AS rows),
    start => :start, stop => :stop, width => :width, values => 'all', height => :height)
WHERE container_id IN :containers
