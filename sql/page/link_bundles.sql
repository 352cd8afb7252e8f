-- The links that touch the window, where they are too many to be drawn one by one: how many go from one row to another, from
-- one column of time to another, and when they start and end on average; the largest bundles first. An end of a link belongs
-- to the nearest container above it that has a row.
WITH rows AS (
    SELECT container_id, first_value(ancestor_id ORDER BY distance) AS row_id
    FROM container_ancestors
    WHERE ancestor_id IN :containers
    GROUP BY container_id
), bundles AS (
    SELECT
        sources.row_id AS source_id, targets.row_id AS target_id,
        CAST(floor((greatest(start_time, :start) - :start) / (:stop - :start) * :columns) AS INTEGER) AS first_column,
        CAST(floor((least(end_time, :stop) - :start) / (:stop - :start) * :columns) AS INTEGER) AS last_column,
        count(*) AS links, sum(volume) AS volume, avg(start_time) AS start_time, avg(end_time) AS end_time
    FROM links
    JOIN rows AS sources ON sources.container_id = links.source_id
    JOIN rows AS targets ON targets.container_id = links.target_id
    WHERE end_time >= :start AND start_time <= :stop
    GROUP BY sources.row_id, targets.row_id, first_column, last_column
)
SELECT
    source_id, target_id, first_column, last_column, links, volume, start_time, end_time,
    count(*) OVER () AS all_bundles, CAST(sum(links) OVER () AS BIGINT) AS all_links
FROM bundles
ORDER BY links DESC, source_id, target_id, first_column, last_column
LIMIT :most
