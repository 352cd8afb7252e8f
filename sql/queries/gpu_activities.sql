-- How many activities each stream of each GPU had, and how long they took.
--
-- Needs: states of GPUs.
SELECT
    device,
    stream,
    kind,
    count(*) AS activities,
    sum(duration) AS seconds
FROM gpu_activities
GROUP BY device_id, device, stream_id, stream, kind
ORDER BY device_id, stream_id, kind
