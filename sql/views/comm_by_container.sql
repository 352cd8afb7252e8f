-- What each container sent and received.
--
-- A link from a container to itself is sent and received. Containers without links have no row. link_slices
-- gives the same over time.
--
-- Columns:
--   container_id      INTEGER  The container.
--   container         TEXT     Name of the container.
--   type              TEXT     Type of the links.
--   sent_links        BIGINT   Links that start there.
--   received_links    BIGINT   Links that end there.
--   sent_volume       DOUBLE   What the first carried; NULL when not recorded in the trace.
--   received_volume   DOUBLE   What the second carried; NULL when not recorded in the trace.
--   sent_seconds      DOUBLE   Durations of the first together.
--   received_seconds  DOUBLE   Durations of the second together.
--   targets           BIGINT   How many different containers it sent to.
--   sources           BIGINT   How many different containers it received from.
--
-- Example:
--   SELECT container, sent_links, sent_volume, received_links, received_volume
--   FROM comm_by_container
--   ORDER BY container_id
WITH pairs AS (
    SELECT
        source_id,
        source,
        target_id,
        target,
        type,
        count(*) AS links,
        sum(volume) AS volume,
        sum(end_tick - start_tick) AS ticks
    FROM links
    GROUP BY source_id, source, target_id, target, type
),
ends AS (
    SELECT
        'source' AS role,
        source_id AS container_id,
        source AS container,
        type,
        links,
        volume,
        ticks
    FROM pairs
    UNION ALL
    SELECT
        'target' AS role,
        target_id AS container_id,
        target AS container,
        type,
        links,
        volume,
        ticks
    FROM pairs
),
totals AS (
    SELECT
        container_id,
        container,
        type,
        coalesce(sum(links) FILTER (WHERE role = 'source'), 0) AS sent_links,
        coalesce(sum(links) FILTER (WHERE role = 'target'), 0) AS received_links,
        sum(volume) FILTER (WHERE role = 'source') AS sent_volume,
        sum(volume) FILTER (WHERE role = 'target') AS received_volume,
        coalesce(sum(ticks) FILTER (WHERE role = 'source'), 0) AS sent_ticks,
        coalesce(sum(ticks) FILTER (WHERE role = 'target'), 0) AS received_ticks,
        count(*) FILTER (WHERE role = 'source') AS targets,
        count(*) FILTER (WHERE role = 'target') AS sources
    FROM ends
    GROUP BY container_id, container, type
)
SELECT
    totals.container_id,
    totals.container,
    totals.type,
    totals.sent_links,
    totals.received_links,
    totals.sent_volume,
    totals.received_volume,
    tick_seconds(totals.sent_ticks, (SELECT ticks_per_second FROM trace_info)) AS sent_seconds,
    tick_seconds(totals.received_ticks, (SELECT ticks_per_second FROM trace_info)) AS received_seconds,
    totals.targets,
    totals.sources
FROM totals
