-- Who sends more than it receives.
SELECT
    container,
    type,
    sent_volume,
    received_volume,
    coalesce(sent_volume, 0) - coalesce(received_volume, 0) AS surplus
FROM comm_by_container
ORDER BY surplus DESC, container
