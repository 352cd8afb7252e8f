//! The rules of activities, and those that a session puts in their place.

use super::*;

const SECOND: i64 = 1_000_000_000;

/// One container that lives from 0 to 10: MPI_Send for two seconds, my_step for three.
fn one_rank() -> HandMade {
    one_container(&[("MPI_Send", SECOND, 3 * SECOND, 0), ("my_step", 4 * SECOND, 7 * SECOND, 0)])
}

/// Two traces with a container each that lives from 0 to 10 and has two states.
fn one_container(rows_of_states: &[(&str, i64, i64, i32); 2]) -> HandMade {
    let mut store = HandMade::new();
    for name in ["ep", "lu"] {
        let rows = states(rows_of_states);
        let life: Columns = vec![
            ("container_id", integers(&[0])),
            ("name", texts(&["p0"])),
            ("alias", texts(&["p0"])),
            ("type", texts(&["Rank"])),
            ("parent_id", Arc::new(Int32Array::from(vec![None]))),
            ("path", texts(&["p0"])),
            ("depth", integers(&[0])),
            ("is_leaf", booleans(&[true])),
            ("leaves", integers(&[1])),
            ("preorder", integers(&[0])),
            ("last_descendant", integers(&[0])),
            ("start_tick", longs(&[0])),
            ("end_tick", longs(&[10 * SECOND])),
        ];
        store.trace(name).table("states", &[], vec![with_cuts(rows, &[false, false])], 100).table(
            "containers",
            &[],
            vec![life],
            100,
        );
    }
    store
}

fn open(store: &HandMade, trace: Option<&str>) -> Engine {
    let trace = trace.map(str::to_string);
    store.engine(EngineOptions { trace, threads: Some(2), ..EngineOptions::default() }).expect("an engine")
}

const ACTIVITIES: &str = "SELECT value, activity FROM state_activities ORDER BY value";
const TIMES: &str = "SELECT activity, seconds, no_state_seconds FROM container_activities ORDER BY activity";
/// A table function over a query that reads the view.
const SLICES: &str = "SELECT value, seconds FROM state_slices((SELECT s.container_id, a.activity AS value, s.start_time, \
     s.end_time FROM states AS s JOIN state_activities AS a USING (type, value)), slices => 1, start => 0, stop => 10) \
     ORDER BY value";

#[tokio::test]
async fn a_view_of_the_session_replaces_the_rules() {
    let store = one_rank();
    let engine = open(&store, Some("ep"));
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|communication", "my_step|computation"]);
    assert_eq!(rows(&engine, TIMES).await, ["communication|2.0|0.0", "computation|3.0|0.0", "unknown|5.0|5.0"]);
    for create in ["CREATE VIEW", "CREATE OR REPLACE VIEW"] {
        // What was read before must follow.
        let rules = "AS SELECT 1 AS rule, 'mine' AS family, NULL AS type_pattern, '^MY_' AS value_pattern, 'waiting' AS activity";
        engine.sql(&format!("{create} activity_rules {rules}")).await.expect("a view");
        assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|unknown", "my_step|waiting"], "{create}");
        assert_eq!(rows(&engine, TIMES).await, ["unknown|7.0|5.0", "waiting|3.0|0.0"], "{create}");
        assert_eq!(rows(&engine, SLICES).await, ["unknown|2.0", "waiting|3.0"], "{create}");
        assert_eq!(rows(&engine, "SELECT useful FROM pop_metrics_of_the_run").await, ["not recorded"], "{create}");
        // The other trace has its own.
        assert_eq!(
            rows(&engine, "SELECT activity FROM lu.state_activities ORDER BY value").await,
            ["communication", "computation"]
        );
        engine.sql("DROP VIEW activity_rules").await.expect("no view");
        assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|communication", "my_step|computation"], "{create}");
    }
}

#[tokio::test]
async fn a_table_of_the_session_replaces_the_rules() {
    let store = one_rank();
    let engine = open(&store, Some("ep"));
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|communication", "my_step|computation"]);
    let create =
        "CREATE TABLE activity_rules (rule INTEGER, family TEXT, type_pattern TEXT, value_pattern TEXT, activity TEXT)";
    engine.sql(create).await.expect("a table");
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|unknown", "my_step|unknown"]);
    // The lowest rule that fits counts; the second is of another type; the third is about time in no state.
    let insert = "INSERT INTO activity_rules VALUES (7, 'all', NULL, '.', 'input/output'), (2, 'all', '^Other', '.', 'waiting'), \
                  (3, NULL, '^State$', NULL, 'computation'), (5, 'steps', 'state', 'STEP$', 'overhead')";
    engine.sql(insert).await.expect("rows");
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|input/output", "my_step|overhead"]);
    assert_eq!(rows(&engine, TIMES).await, ["computation|5.0|5.0", "input/output|2.0|0.0", "overhead|3.0|0.0"]);
    assert!(failure(&engine, create).await.contains("already exists"));
    engine.sql("DROP TABLE activity_rules").await.expect("no table");
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|communication", "my_step|computation"]);
}

#[tokio::test]
async fn new_rules_may_come_before_ours() {
    let store = one_rank();
    let engine = open(&store, Some("ep"));
    let create = "CREATE OR REPLACE VIEW activity_rules AS \
                  SELECT 1 AS rule, 'mine' AS family, NULL AS type_pattern, 'step' AS value_pattern, 'overhead' AS activity \
                  UNION ALL SELECT rule, family, type_pattern, value_pattern, activity FROM activity_rules";
    engine.sql(create).await.expect("a view");
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|communication", "my_step|overhead"]);
    // Now only calls of MPI and overhead are recorded, so that the rest is computation.
    assert_eq!(rows(&engine, TIMES).await, ["communication|2.0|0.0", "computation|5.0|5.0", "overhead|3.0|0.0"]);
    // And once more, on top of those.
    let create = create.replace("step", "send").replace("overhead", "waiting");
    engine.sql(&create).await.expect("a view");
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|waiting", "my_step|overhead"]);
}

#[tokio::test]
async fn what_cannot_be_the_rules_is_refused() {
    let store = one_rank();
    let engine = open(&store, Some("ep"));
    let message = failure(&engine, "CREATE VIEW activity_rules AS SELECT 1 AS rule, 'x' AS family").await;
    let expected = "activity_rules needs the columns rule, family, type_pattern, value_pattern, activity; there is no \
                    column type_pattern";
    assert!(message.contains(expected), "{message}");
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|communication", "my_step|computation"]);
    let broken = "CREATE VIEW activity_rules AS SELECT 1 AS rule, 'x' AS family, NULL AS type_pattern, '(' AS \
                  value_pattern, 'waiting' AS activity";
    engine.sql(broken).await.expect("a view");
    let message = failure(&engine, ACTIVITIES).await;
    assert!(message.to_lowercase().contains("regular expression") || message.contains("regex"), "{message}");
    // Of several traces, which?
    let message = failure(&open(&store, None), &broken.replace('(', "x")).await;
    assert!(message.contains("activity_rules is a view of one trace, and the store has ep, lu"), "{message}");
    // Other views are not there to be replaced by accident.
    assert!(failure(&engine, "CREATE VIEW idle_gaps AS SELECT 1 AS one").await.contains("already exists"));
}

/// Names of many tools and libraries, sorted by hand after the manuals of each.
const NAMES: [(&str, &str); 7] = [
    (
        "waiting",
        "MPI_Wait MPI_Waitall MPI_Waitany MPI_Waitsome MPI_Recv MPI_Recv_c mpi_recv_ pmpi_recv__ MPI_Mrecv MPI_Probe \
         MPI_Mprobe PMPI_Barrier MPI_Barrier() MPI_Win_wait MPI_Win_lock MPI_Win_lock_all shmem_barrier_all \
         shmem_int_wait_until shmem_wait_until_all shmem_quiet pshmem_sync_all shmem_team_sync shmem_set_lock gaspi_wait \
         gaspi_barrier gaspi_notify_waitsome gaspi_passive_receive !$omp·implicit·barrier·@lu.c:12 !$omp·barrier \
         !$omp·taskwait·@a.c:1 !$omp·critical·@pi.c:7 !$omp·ordered·@pi.c:7 omp_set_lock cudaDeviceSynchronize \
         cudaStreamSynchronize cuEventSynchronize hipDeviceSynchronize Context·Sync ##·Request·wait()·## \
         ##·sdd_wait_tensors·## All2All_Pooled_Wait smpi_sleep action_wait action_waitall action_recv action_barrier \
         Waiting·a·message Wait/WaitAll Synchronization pthread_cond_wait pthread_mutex_lock pthread_join futex_wait \
         epoll_wait nanosleep idle Idle waiting WAIT sleep Sleeping blocked Blocked·on·lock block suspended recv receive probe \
         barrier Waiting·all·tasks sync wait_0 Runnable Runnable·(preempted) Uninterruptible Uninterruptible·sleep Parked \
         Stopped Traced Waking TASK_INTERRUPTIBLE",
    ),
    (
        "communication",
        "MPI_Send MPI_Ssend MPI_Isend MPI_Irecv MPI_Recv_init MPI_Barrier_init MPI_Ibarrier MPI_Iprobe MPI_Test MPI_Testall \
         MPI_Sendrecv MPI_Bcast PMPI_Allreduce MPI_Alltoallv MPI_Iallgather MPI_Put MPI_Get mpi_get_ MPI_Get_accumulate \
         MPI_Win_fence MPI_Win_flush MPI_Win_create MPI_Comm_split MPI_Comm_dup MPI_Comm_free MPI_Cart_create MPI_Pack MPI_Start \
         MPI_Cancel MPI_Topology_x shmem_put shmem_ptrdiff_put shmem_ctx_int_put shmem_broadcast gaspi_write gaspi_allreduce \
         gaspi_group_commit cudaMemcpy cudaMemcpyAsync cuMemcpyHtoD_v2 Memcpy·HtoD·(Pinned·->·Device) [CUDA·memcpy·DtoH] \
         CopyHostToDevice Host-to-Device Device-to-Host Device-to-Device Peer-to-Peer Unified·Host-to-Device HostToDevice \
         DeviceToHost MEMORY_COPY_DEVICE_TO_HOST copyKind·8 \
         NCCL·AllReduce ncclAllReduce nccl:all_to_all ncclDevKernel_AllReduce rcclAllGather \
         c10d::allreduce_ record_param_comms All2All_Pooled_Req ##·alltoall_fwd_single·## FetchingInput PushingOutput \
         DriverCopy DriverCopyAsync WritingBack action_send action_isend action_allReduce action_bcast Blocking·Send \
         Immediate·Receive Group·Communication Test/Probe send Isend sendrecv irecv bcast broadcast allreduce transfer",
    ),
    (
        "input/output",
        "MPI_File_open MPI_File_read_at_all mpi_file_write_ PMPI_File_close read write open close fopen64 fwrite fsync pwrite64 \
         aio_read H5Dwrite H5Fopen nc_put_vara ncmpi_open adios2_put I/O reading Writing·results ##·data_load·##",
    ),
    (
        "start and end",
        "MPI_Init MPI_Init_thread MPI_Initialized MPI_Finalize PMPI_Finalized mpi_init_ MPI_Abort MPI_Session_init shmem_init \
         start_pes shmem_finalize gaspi_proc_init gaspi_proc_term ncclCommInitRank Initializing Deinitializing action_init \
         smpi_finalize Not·created init finalize Dead Zombie EXIT_DEAD exit_group",
    ),
    (
        "overhead",
        "MPI_Comm_rank MPI_Comm_size mpi_comm_rank_ MPI_Wtime MPI_Get_count MPI_Get_processor_name MPI_Type_commit \
         MPI_Type_vector MPI_Group_incl MPI_Comm_group MPI_Info_set MPI_Op_create MPI_Request_free MPI_Comm_set_errhandler \
         MPI_Win_get_attr MPI_Cart_coords MPI_Alloc_mem MPI_T_init_thread MPI_Pack_size shmem_my_pe shmem_malloc shmem_ptr \
         shmem_ctx_create gaspi_proc_rank gaspi_segment_create omp_get_thread_num !$omp·flush·@a.c:3 cudaMalloc cudaFree \
         cudaLaunchKernel cudaStreamWaitEvent cuLaunchKernel hipMalloc Memset·(Device) memset cudaMemsetAsync Allocating \
         AllocatingReuse Reclaiming Overhead Scheduling Scheduling·and·Fork/Join Progressing Submitting·task Building·task Callback \
         TRACE·BUFFER·FLUSH",
    ),
    ("unknown", "Tracing·Disabled Others MEASUREMENT·OFF PyTorch·Profiler·(0) unknown"),
    (
        "computation",
        "computing compute smpi_execute action_compute main int·main(int,·char**) dgemm Running Executing chol_model_21 kernel \
         mpi mpirun_task waitress blockwise block_lu sender reduce gather scatter schedule initialize_mesh init_grid \
         read_mesh writer opening stopped_flow deadline exit_code device_to_mesh memset_all \
         !$omp·parallel·@wait_all.c:12 !$omp·for·@a.c:1 !$omp·for·nowait·@a.c:2 \
         !$omp·critical·sblock·@pi.c:7 memcpy customers cublasSgemm hipster aten::mm autograd::engine::evaluate_function:·MmBackward0 \
         void·at::native::vectorized_elementwise_kernel<4>·(int) ProfilerStep#552 ##·forward·## synchronous_update",
    ),
];

/// A thread runs for two seconds of ten and is dead for five: two are useful.
#[tokio::test]
async fn a_dead_thread_does_not_compute() {
    for dead in ["Dead", "Zombie"] {
        let store = one_container(&[("Running", SECOND, 3 * SECOND, 0), (dead, 4 * SECOND, 9 * SECOND, 0)]);
        let engine = open(&store, Some("ep"));
        let useful = "SELECT useful, mean_seconds FROM pop_metrics_of_the_run";
        assert_eq!(rows(&engine, useful).await, ["states|2.0"], "{dead}");
        assert_eq!(
            rows(&engine, TIMES).await,
            ["computation|2.0|0.0", "start and end|5.0|0.0", "unknown|3.0|3.0"],
            "{dead}"
        );
    }
}

#[tokio::test]
async fn names_of_many_tools_are_sorted() {
    let named = |text: &'static str| text.split_whitespace().map(|name| name.replace('·', " "));
    let expected: BTreeMap<String, &str> =
        NAMES.iter().flat_map(|(activity, names)| named(names).map(|name| (name, *activity))).collect();
    assert_eq!(
        expected.len(),
        NAMES.iter().map(|(_, names)| named(names).count()).sum::<usize>(),
        "a name stands twice"
    );
    let rows_of_names: Vec<(&str, i64, i64, i32)> = expected.keys().map(|name| (name.as_str(), 0, SECOND, 0)).collect();
    let cuts = vec![false; rows_of_names.len()];
    let mut store = HandMade::new();
    store.trace("names").table("states", &[], vec![with_cuts(states(&rows_of_names), &cuts)], 1000);
    let engine = open(&store, None);
    let wrong: Vec<String> = rows(&engine, "SELECT concat(value, '|', activity), rule FROM state_activities")
        .await
        .into_iter()
        .filter(|row| {
            let mut cells = row.split('|');
            let (name, activity) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
            expected.get(name) != Some(&activity)
        })
        .collect();
    assert!(wrong.is_empty(), "wrongly sorted: {wrong:#?}");
    assert_eq!(rows(&engine, "SELECT count(*) FROM state_activities").await, [expected.len().to_string()]);
}

#[tokio::test]
async fn what_the_trace_marks_decides_about_time_in_no_state() {
    // The names of one type, and what time in none of them is.
    let cases: [(&[&str], &str); 8] = [
        (&["MPI_Send", "MPI_Wtime", "MPI_Initialized", "MPI_File_open"], "computation"),
        (&["PMPI_Wait"], "computation"),
        (&["shmem_put", "idle"], "computation"),
        (&["gaspi_wait"], "computation"),
        (&["MPI_Send", "solve"], "unknown"),
        (&["PMPI_Wait", "computing"], "unknown"),
        (&["DriverCopy", "Allocating"], "unknown"),
        (&["send", "receive", "sleep"], "unknown"),
    ];
    for (names, expected) in cases {
        let rows_of_names: Vec<(&str, i64, i64, i32)> = names.iter().map(|name| (*name, 0, SECOND, 0)).collect();
        let mut store = HandMade::new();
        let cuts = vec![false; names.len()];
        store.trace("names").table("states", &[], vec![with_cuts(states(&rows_of_names), &cuts)], 1000);
        let given = rows(&open(&store, None), "SELECT DISTINCT no_state_activity FROM state_activities").await;
        assert_eq!(given, [expected], "{names:?}");
    }
}
