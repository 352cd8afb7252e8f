-- The states below containers that are collapsed, as means over their leaves, in columns of pixels: ticks and length are
-- those of all leaves together.
SELECT
    CAST(:level AS TINYINT) AS level, container_id, type, CAST(first_column AS SMALLINT) AS first_column,
    CAST(last_column - first_column AS SMALLINT) AS further_columns, value, CAST(pixels AS TINYINT) AS pixels,
    CAST(round(share * leaves * (end_tick - start_tick)) AS BIGINT) AS ticks, leaves * (end_tick - start_tick) AS length,
    CAST(states AS INTEGER) AS states, exact
FROM timeline(:states, start => :start, stop => :stop, width => :width, depth => :depth, values => 'all', height => :height)
JOIN (SELECT container_id AS collapsed_id, leaves FROM containers) AS collapsed ON collapsed_id = container_id
WHERE container_id IN :containers
