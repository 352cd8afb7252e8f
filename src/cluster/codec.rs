//! Physical operators of ours as bytes, beside those of Ballista.
//!
//! Functions need nothing: they travel by name. Bytes of ours begin with a word that is no beginning of a
//! protobuf message, as Ballista's are.
//!
//! Every task begins with an operator of Ballista. Where a cluster has a token, these are taken only with it: who
//! reaches the port for tasks can do nothing there without.

use std::sync::Arc;

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::common::{Result, plan_err};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::{ExecutionPlan, replace_children_if_necessary};
use datafusion_proto::physical_plan::{AsExecutionPlan, PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use datafusion_proto::protobuf::PhysicalPlanNode;

use super::collected_join::CollectedJoinExec;
use super::credentials::Token;
use super::identity::Identity;
use super::packed_plan::{MOST_PACKS, PackedPlanExec};
use ocellus_engine::optimizer::interval_join::codec;

const INTERVAL_JOIN: &[u8] = b"ocellus:interval-join:";
const COLLECTED_JOIN: &[u8] = b"ocellus:collected-join:";
const PACKED_PLAN: &[u8] = b"ocellus:packed-plan:";
const WITH_TOKEN: &[u8] = b"ocellus:token:";

/// The codec of all parts of a cluster.
#[derive(Debug)]
pub(super) struct Codec {
    ballista: BallistaPhysicalExtensionCodec,
    /// How many packed plans inside each other may still be read.
    packs: usize,
    token: Option<Token>,
}

impl Default for Codec {
    fn default() -> Codec {
        Codec { ballista: BallistaPhysicalExtensionCodec::default(), packs: MOST_PACKS, token: None }
    }
}

impl Codec {
    /// That of a scheduler or an executor.
    pub(super) fn of(identity: &Identity) -> Codec {
        Codec { token: identity.credentials().map(|credentials| credentials.token().clone()), ..Codec::default() }
    }

    /// Bytes of Ballista without the token before them, which must be there if the cluster has one.
    fn without_token<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8]> {
        let Some(token) = &self.token else {
            return Ok(bytes);
        };
        let after = bytes.strip_prefix(WITH_TOKEN).and_then(|bytes| bytes.split_at_checked(token.text().len()));
        match after {
            Some((said, bytes)) if token.is(said) => Ok(bytes),
            _ => plan_err!("a task came without the token of this cluster"),
        }
    }
}

impl PhysicalExtensionCodec for Codec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if let Some(description) = bytes.strip_prefix(INTERVAL_JOIN) {
            return codec::decode(description, inputs);
        }
        if let Some(join) = bytes.strip_prefix(COLLECTED_JOIN) {
            let join = PhysicalPlanNode::try_decode(join)?.try_into_physical_plan(context, self)?;
            return Ok(Arc::new(CollectedJoinExec::new(replace_children_if_necessary(join, inputs.to_vec())?)?));
        }
        if let Some(plan) = bytes.strip_prefix(PACKED_PLAN) {
            let Some(packs) = self.packs.checked_sub(1) else {
                return plan_err!("the plan is too deep for a cluster");
            };
            let inner = Codec { packs, token: self.token.clone(), ..Codec::default() };
            return PhysicalPlanNode::try_decode(plan)?.try_into_physical_plan(context, &inner);
        }
        self.ballista.try_decode(self.without_token(bytes)?, inputs, context, converter)
    }

    fn try_encode(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if let Some(description) = codec::encode(plan.as_ref())? {
            bytes.extend_from_slice(INTERVAL_JOIN);
            bytes.extend_from_slice(&description);
            return Ok(());
        }
        if let Some(join) = plan.downcast_ref::<CollectedJoinExec>() {
            let mut description = vec![];
            PhysicalPlanNode::try_from_physical_plan(join.without_inputs()?, self)?.try_encode(&mut description)?;
            bytes.extend_from_slice(COLLECTED_JOIN);
            bytes.extend_from_slice(&description);
            return Ok(());
        }
        if let Some(packed) = plan.downcast_ref::<PackedPlanExec>() {
            let mut description = vec![];
            PhysicalPlanNode::try_from_physical_plan(Arc::clone(&packed.plan), self)?.try_encode(&mut description)?;
            bytes.extend_from_slice(PACKED_PLAN);
            bytes.extend_from_slice(&description);
            return Ok(());
        }
        if let Some(token) = &self.token {
            bytes.extend_from_slice(WITH_TOKEN);
            bytes.extend_from_slice(token.text().as_bytes());
        }
        let name = plan.name().to_string();
        match self.ballista.try_encode(plan, bytes, converter) {
            Ok(()) => Ok(()),
            Err(_) => plan_err!("{name} cannot run on a cluster"),
        }
    }
}
