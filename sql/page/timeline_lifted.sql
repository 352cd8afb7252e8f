-- The states below containers that are collapsed, as means over their leaves, in columns of pixels.
SELECT
    CAST(:level AS TINYINT) AS level, container_id, type, first_column, last_column, value, share,
    CAST(states AS INTEGER) AS states, exact
FROM timeline(:states, start => :start, stop => :stop, width => :width, depth => :depth, values => 'all')
WHERE container_id IN :containers
