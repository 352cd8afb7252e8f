-- How much faster each GPU would be if it was never idle, and if kernels hid all copies.
--
-- Needs: states of GPUs.
SELECT
    device,
    end_time - start_time AS seconds,
    idle_share,
    hidden_share,
    (end_time - start_time) / nullif(end_time - start_time - idle_seconds, 0) AS speedup_without_idling,
    (end_time - start_time) / nullif(end_time - start_time - memory_seconds + overlap_seconds, 0) AS speedup_with_copies_hidden
FROM gpu_overlap
ORDER BY idle_seconds DESC, device_id
