//! Physical operators of ours as bytes, beside those of Ballista.
//!
//! Functions need nothing: they travel by name. Bytes of ours begin with a word that is no beginning of a
//! protobuf message, as Ballista's are.

use std::sync::Arc;

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::common::{Result, plan_err};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};

use crate::functions::intervals::interval_join::codec;

const OURS: &[u8] = b"ocellus:";

/// The codec of all parts of a cluster.
#[derive(Debug, Default)]
pub(super) struct Codec {
    ballista: BallistaPhysicalExtensionCodec,
}

impl PhysicalExtensionCodec for Codec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match bytes.strip_prefix(OURS) {
            Some(description) => codec::decode(description, inputs),
            None => self.ballista.try_decode(bytes, inputs, context, converter),
        }
    }

    fn try_encode(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if let Some(description) = codec::encode(plan.as_ref())? {
            bytes.extend_from_slice(OURS);
            bytes.extend_from_slice(&description);
            return Ok(());
        }
        let name = plan.name().to_string();
        match self.ballista.try_encode(plan, bytes, converter) {
            Ok(()) => Ok(()),
            Err(_) => plan_err!("{name} cannot run on a cluster"),
        }
    }
}
