-- The states of containers that stand for themselves, at one level of nesting, in columns of pixels: a row per span of
-- columns that hold the same, and value that occurs in it. The share of a value is ticks over length: these are whole
-- numbers, which are exact and take fewer bytes. Its pixels are what it has of the height of a column.
SELECT
    CAST(:level AS TINYINT) AS level, container_id, type, CAST(first_column AS SMALLINT) AS first_column,
    CAST(last_column - first_column AS SMALLINT) AS further_columns, value, CAST(pixels AS TINYINT) AS pixels,
    CAST(round(share * (end_tick - start_tick)) AS BIGINT) AS ticks, end_tick - start_tick AS length,
    CAST(states AS INTEGER) AS states, exact
FROM timeline(:states, start => :start, stop => :stop, width => :width, values => 'all', height => :height)
WHERE container_id IN :containers
