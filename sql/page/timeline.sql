-- The states of containers that stand for themselves, at one level of nesting, in columns of pixels: a row per span of
-- columns that hold the same, and value that occurs in it.
SELECT
    CAST(:level AS TINYINT) AS level, container_id, type, first_column, last_column, value, share,
    CAST(states AS INTEGER) AS states, exact
FROM timeline(:states, start => :start, stop => :stop, width => :width, values => 'all')
WHERE container_id IN :containers
