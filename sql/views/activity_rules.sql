-- The rules that say what containers do in each state, by its name: computation, communication, waiting and so on.
--
-- The lowest rule that fits a state counts. Patterns are regular expressions that are searched for anywhere in a name
-- unless they begin with ^; capitals do not matter. A rule without value_pattern is about time in no state: with a
-- family, it fits types of states that have states of that family and none of computation, such as those of a tool
-- that records calls of MPI only; without a family, every type that matches type_pattern. See state_activities and
-- no_state_activities for what the rules make of a trace.
--
-- Activities are computation, communication, waiting, input/output, start and end (of the program or of a library),
-- overhead (what runtimes and libraries do for themselves) and unknown. A state that no rule fits is unknown;
-- the last of these rules calls every other state computation.
--
-- To replace the rules, create a view or a table of this name with these columns: every view, function and picture of
-- the trace follows, for the length of the session. DROP VIEW or DROP TABLE brings these rules back. Views that you
-- created before keep the rules that they were created with. A new view may select from the old one, so that one
-- rule is added by: CREATE VIEW activity_rules AS SELECT 1 AS rule, 'mine' AS family, NULL AS type_pattern, '^io_' AS
-- value_pattern, 'input/output' AS activity UNION ALL SELECT rule, family, type_pattern, value_pattern, activity FROM
-- activity_rules.
--
-- Columns:
--   rule           INTEGER  Number of the rule; the lowest that fits counts.
--   family         TEXT     Where the names come from: MPI, OpenMP, CUDA and so on.
--   type_pattern   TEXT     What the type of the state must match; NULL for any.
--   value_pattern  TEXT     What the name of the state must match; NULL for time in no state.
--   activity       TEXT     What the container does then.
--
-- Example:
--   SELECT rule, value_pattern, activity
--   FROM activity_rules
--   WHERE family = 'GASPI'
--   ORDER BY rule

-- What a call is, where its name does not settle it:
--   a blocking receive, probe, wait or barrier is waiting, even though a receive also copies what has arrived
--   a send is communication, and so is a collective that moves data: how much of it is waiting for the last
--     member is not in its name; wait_states() measures that
--   a call that only starts, tests or cancels communication is communication
--   a call that looks something up or prepares data types, groups and memory is overhead
--   start and end are the calls in which a library begins and ends, or is asked whether it has; a thread
--     that has ended is in it too, until its scheduler forgets it, as one that is not created yet
-- A name of MPI ends with its last letter, with _c (large counts), or with the underscores of Fortran.
SELECT
    CAST(column1 AS INTEGER) AS rule,
    column2 AS family,
    column3 AS type_pattern,
    column4 AS value_pattern,
    column5 AS activity
FROM (VALUES
    (100, 'MPI', NULL, '^p?mpi_(wait(all|any|some)?|m?recv|m?probe|barrier|win_wait|win_lock(_all)?)(_c)?_{0,2}\b', 'waiting'),
    (110, 'MPI', NULL, '^p?mpi_(init|init_thread|initialized|finalize|finalized|abort|session_(init|finalize))_{0,2}\b', 'start and end'),
    (120, 'MPI', NULL, '^p?mpi_(file_|register_datarep)', 'input/output'),
    (130, 'MPI', NULL, '^p?mpi_(wtime|wtick|pcontrol|query_thread|is_thread_main|dims_create|topo_test|cartdim_get|(alloc|free)_mem)', 'overhead'),
    (131, 'MPI', NULL, '^p?mpi_(t|type|group|info|attr|keyval|errhandler|error|op|aint|status|request|buffer|address)(_|$)', 'overhead'),
    (132, 'MPI', NULL, '^p?mpi_(get_(count|elements|address|version|library_version|processor_name|hw_resource_info)|add_error_|pack_size|pack_external_size)', 'overhead'),
    (133, 'MPI', NULL, '^p?mpi_(comm|win|session)_(rank|size|remote_size|compare|group|remote_group|test_inter|get|set|delete|call|create_(keyval|errhandler)|free_keyval)(_|\b)', 'overhead'),
    (134, 'MPI', NULL, '^p?mpi_(cart_(rank|coords|shift|get|map)|graph_(get|map|neighbors|neighbors_count)|graphdims_get|dist_graph_neighbors(_count)?)_{0,2}\b', 'overhead'),
    (190, 'MPI', NULL, '^p?mpi_', 'communication'),
    (199, 'MPI', NULL, NULL, 'computation'),
    (200, 'OpenSHMEM', NULL, '^p?shmemx?_([a-z0-9]+_)*(wait|wait_until|wait_until_(all|any|some)(_vector)?|barrier|barrier_all|sync|sync_all|quiet|set_lock)_{0,2}\b', 'waiting'),
    (210, 'OpenSHMEM', NULL, '^(p?shmemx?_(init|init_thread|finalize|global_exit)|start_pes)_{0,2}\b', 'start and end'),
    (220, 'OpenSHMEM', NULL, '^p?shmemx?_(my_pe|n_pes|team_(my_pe|n_pes|get_config|translate_pe)|ptr|(pe|addr)_accessible|info_get_[a-z]+|query_thread|[a-z]*alloc[a-z_]*|free|align|ctx_(create|destroy|get_team))_{0,2}\b', 'overhead'),
    (290, 'OpenSHMEM', NULL, '^p?shmemx?_', 'communication'),
    (299, 'OpenSHMEM', NULL, NULL, 'computation'),
    (300, 'GASPI', NULL, '^p?gaspi_(wait|barrier|notify_waitsome|passive_receive)_{0,2}\b', 'waiting'),
    (310, 'GASPI', NULL, '^p?gaspi_proc_(init|term|kill)', 'start and end'),
    (320, 'GASPI', NULL, '^p?gaspi_(proc_(rank|num|local)|config_|segment_|group_(create|add|delete)|queue_|version|time_|cpu_|network_type|machine_type|state_vec_|print_|error_|statistic_|[a-z_]*(_max|_num|_size)$)', 'overhead'),
    (390, 'GASPI', NULL, '^p?gaspi_', 'communication'),
    (399, 'GASPI', NULL, NULL, 'computation'),
    (400, 'OpenMP', NULL, '^(!\$omp |(#pragma )?omp[ _]|openmp[ _]|gomp_|__kmpc_)([^@]*[ _])?(barrier|taskwait|wait|idle|set_lock|set_nest_lock)(\b|[_0-9])', 'waiting'),
    (401, 'OpenMP', NULL, '^!\$omp (critical|ordered)( \(.*\))?( ?@|$)', 'waiting'),
    (410, 'OpenMP', NULL, '^(omp_(get|set|in|init|destroy|unset|test)_|!\$omp (flush|create task|task create|fork|join)|(gomp|__kmpc)_)', 'overhead'),
    (490, 'OpenMP', NULL, '^(!\$omp |#pragma omp |omp |openmp[ _])', 'computation'),
    (500, 'CUDA', NULL, '(?-i:^(cu(da)?|hip)[A-Z][A-Za-z]*Synchronize)|^(stream|context|event|device) (sync|synchronize|wait event)$', 'waiting'),
    (510, 'CUDA', NULL, '(?-i:^(cu(da)?|hip)Mem(cpy|Prefetch))|^\[?(cuda|hip) memcpy|^memcpy [hdpa]to[hdpa]|^copy(host|device)to(host|device)$|^(unified )?(host|device|array|peer)[- ]?to[- ]?(host|device|array|peer)$|^memory_copy_[a-z_]+$|^copykind [0-9]+$', 'communication'),
    (520, 'CUDA', NULL, '^\[?(cuda|hip) memset|^memset( \(|$)|(?-i:^((cuda|hip)[A-Z]|cu(Array|Ctx|Device|Driver|Event|Func|Get|Graph|Init|Kernel|Launch|Library|Link|Mem|Module|Occupancy|Pointer|Stream)))', 'overhead'),
    (530, 'Nsight', '^profiler_overhead$', '.*', 'unknown'),
    (550, 'NCCL', NULL, '^p?[nr]ccl(comm(init|destroy|finalize|abort|split)|getuniqueid)', 'start and end'),
    (560, 'NCCL', NULL, '^p?[nr]ccl', 'communication'),
    (570, 'PyTorch', NULL, '^## .*(^|[^a-z])wait([^a-z].*)? ##$|^all2all_[a-z0-9_]*wait$|^c10d::(barrier|monitored_barrier|wait)', 'waiting'),
    (571, 'PyTorch', NULL, '^(c10d::|record_param_comms|gloo:|(## |autograd::engine::evaluate_function: )?(all2all|alltoall|all_to_all|all_?reduce|all_?gather|reduce_?scatter))', 'communication'),
    (572, 'PyTorch', NULL, '^(## data_load|enumerate\(dataloader\))', 'input/output'),
    (573, 'PyTorch', NULL, '^pytorch profiler \([0-9]+\)$', 'unknown'),
    (600, 'StarPU', '^comm(unication)? thread state$', '^(sleep|idle|wait)', 'waiting'),
    (601, 'StarPU', '^comm(unication)? thread state$', '.*', 'communication'),
    (610, 'StarPU', NULL, '^(fetchinginput|pushingoutput|drivercopy(async)?|writingback(async)?)$', 'communication'),
    (620, 'StarPU', NULL, '^(allocating(async|reuse)?|reclaiming|freeing|unpartitioning( task)?)$', 'overhead'),
    (630, 'StarPU', NULL, '^(de)?initializing$', 'start and end'),
    (700, 'SimGrid', NULL, '^(action|smpi)_(wait(all|any|some)?|recv|probe|barrier|u?sleep)(\b|[_0-9])', 'waiting'),
    (710, 'SimGrid', NULL, '^(action|smpi)_(init|finalize)(\b|[_0-9])', 'start and end'),
    (720, 'SimGrid', NULL, '^(action|smpi)_(i?send|sendrecv|irecv|test|bcast|reduce|all(reduce|gatherv?|toallv?)|gatherv?|scatterv?|reducescatter|scan|exscan|comm_[a-z]+)(\b|[_0-9])', 'communication'),
    (730, 'SimGrid', NULL, '^(computing$|(action|smpi)_)', 'computation'),
    (750, 'Paraver', NULL, '^(waiting links|wait/waitall|(thread )?synchronization|distributed locking)$', 'waiting'),
    (751, 'Paraver', NULL, '^(blocking send|immediate (send|receive)|send receive|test/probe|group communication|remote memory access|memory transfer|data copy|one-sided op|startup latency|rtt)$', 'communication'),
    (752, 'Paraver', NULL, '^(scheduling and fork/join|atomic memory operation|memory ordering operation|allocating memory|freeing memory|profiling|on-line analysis)$', 'overhead'),
    (753, 'Paraver', NULL, '^not created$', 'start and end'),
    (754, 'Paraver', NULL, '^(tracing disabled|others)$', 'unknown'),
    (755, 'Paraver', '^(trace initialization|flushing traces)$', '^begin$', 'overhead'),
    (756, 'Paraver', '^(application|tracing( mode:?)?)$', '^(begin|enabled|detailed|cpu bursts)$', 'unknown'),
    (760, 'Score-P', NULL, '^trace buffer flush$', 'overhead'),
    (761, 'Score-P', NULL, '^measurement off$', 'unknown'),
    (800, 'POSIX threads', NULL, '^(pthread_(cond_(timed)?wait|(mutex|spin)_(timed)?lock|rwlock_(timed)?(rd|wr)lock|barrier_wait|join)|sem_(timed)?wait|futex[a-z_]*|epoll_p?wait|p?poll|p?select|(clock_)?nanosleep|usleep|wait(pid|id)|sched_yield|std::this_thread::sleep[a-z_]*)\b', 'waiting'),
    (810, 'POSIX I/O', NULL, '^(open|openat|creat|close|read|write|p?readv2?|p?writev2?|pread|pwrite|lseek|fsync|fdatasync|f?truncate|unlink|mkdir|rmdir|rename|opendir|readdir|closedir|sendfile|f(open|close|read|write|seek|flush|printf|scanf|gets|puts)|aio_[a-z]+|lio_listio)(64)?\b', 'input/output'),
    (815, 'Linux', NULL, '^(stopped|traced|waking|task_(stopped|traced|waking|wake_?kill|(un)?interruptible|parked|idle|no_?load))$', 'waiting'),
    (816, 'Linux', NULL, '^(dead|zombie|task_dead|exit_(dead|zombie)|exit|exit_group)$', 'start and end'),
    (820, 'I/O libraries', NULL, '^(h5[a-z]{1,3}_?[a-z0-9]|nc_|ncmpi_|nf(90|mpi)?_|adios2?_|sion_|darshan_)', 'input/output'),
    (900, 'words', NULL, '^(idle|idling|wait|waits|waiting|sleep|sleeping|asleep|blocked|blocking|suspend|suspended|stall|stalled|starved|starving|barrier|sync|synchronize|synchronizing|synchronization|parked|runnable|preempted|(un)?interruptible|nothing|recv|receive|receiving|probe)(\b|[_0-9])|^block$', 'waiting'),
    (910, 'words', NULL, '^(i?send|[sbr]send|issend|sending|sendrecv|irecv|bcast|broadcast|all(reduce|gatherv?|toall[vw]?)|reduce_scatter|comm|communicate|communicating|communication|transfer|transferring)(\b|[_0-9])', 'communication'),
    (920, 'words', NULL, '^(i/?o|reading|writing|checkpoint|checkpointing)(\b|[_0-9])', 'input/output'),
    (930, 'words', NULL, '^(init|initialize|initialization|finalize|finalization|startup|shutdown|teardown)$', 'start and end'),
    (931, 'words', NULL, '^((de)?initializing|finalizing|starting|terminating)(\b|[_0-9])', 'start and end'),
    (940, 'words', NULL, '^(overhead|scheduling|progressing|submitting|building|callback|gc|garbage collection)(\b|[_0-9])', 'overhead'),
    (950, 'words', NULL, '^(unknown|undefined|not recorded)$', 'unknown'),
    (999, 'words', NULL, '.*', 'computation')
)
