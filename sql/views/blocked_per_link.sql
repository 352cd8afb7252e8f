-- How long each container was blocked for each of its links, on average.
--
-- Blocked is the time of waiting by container_activities: blocked, MPI_Recv, MPI_Wait and so on; of several types of
-- states, the one with the most counts. A link from a container to itself counts twice. Containers with neither states nor links have no row.
--
-- Columns:
--   container_id      INTEGER  The container.
--   container         TEXT     Name of the container.
--   blocked_seconds   DOUBLE   Time of waiting.
--   sent_links        BIGINT   Links that start there.
--   received_links    BIGINT   Links that end there.
--   seconds_per_link  DOUBLE   blocked_seconds / (sent_links + received_links); NULL without links.
--
-- Example:
--   SELECT container, blocked_seconds, sent_links, received_links, seconds_per_link
--   FROM blocked_per_link
--   ORDER BY container_id

-- One of the combinations of Schnorr's thesis, table 4.1: time over count. The links of a container start
-- or end there.
WITH blocked AS (
    SELECT
        container_id,
        max(CASE WHEN activity = 'waiting' THEN seconds ELSE 0 END) AS seconds
    FROM container_activities
    GROUP BY container_id
),
linked AS (
    SELECT
        container_id,
        sum(sent_links) AS sent_links,
        sum(received_links) AS received_links
    FROM comm_by_container
    GROUP BY container_id
)
SELECT
    containers.container_id,
    containers.name AS container,
    coalesce(blocked.seconds, 0) AS blocked_seconds,
    coalesce(linked.sent_links, 0) AS sent_links,
    coalesce(linked.received_links, 0) AS received_links,
    coalesce(blocked.seconds, 0) / nullif(linked.sent_links + linked.received_links, 0) AS seconds_per_link
FROM containers
LEFT JOIN blocked
    ON blocked.container_id = containers.container_id
LEFT JOIN linked
    ON linked.container_id = containers.container_id
WHERE blocked.container_id IS NOT NULL
    OR linked.container_id IS NOT NULL
