-- Who sends more than it receives.
--
-- Needs: links.
SELECT
    container_id,
    container,
    type,
    sent_volume,
    received_volume,
    coalesce(sent_volume, 0) - coalesce(received_volume, 0) AS surplus
FROM comm_by_container
ORDER BY surplus DESC, container_id, type
