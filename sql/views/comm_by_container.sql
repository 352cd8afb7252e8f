-- What each container sent and received.
--
-- container_id      the container
-- container         name of the container
-- type              type of the links
-- sent_links        links that start there
-- received_links    links that end there
-- sent_volume       what the first carried; NULL when none tells
-- received_volume   what the second carried; NULL when none tells
-- sent_seconds      durations of the first together
-- received_seconds  durations of the second together
-- targets           how many different containers it sent to
-- sources           how many different containers it received from
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
