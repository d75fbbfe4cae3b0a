/** Decisions of the product, asked with facts: each with a situation of its own. */

import * as assessing from '../../common/assess/assess.ts'
import * as editing from '../../common/assess/edit-errors.ts'
import * as describing from '../../common/describe/describe.ts'
import type { SpecFacts } from '../../common/facts/facts.ts'
import * as alone from '../../common/outcome/alone.ts'
import * as policies from '../../common/outcome/policy-decision.ts'
import * as analyzing from '../../common/plan/analysis-status.ts'
import * as gating from '../../common/plan/fork-gate.ts'
import * as lifecycle from '../../common/plan/lifecycle.ts'
import * as planning from '../../common/plan/plan.ts'
import * as reporting from '../../common/plan/status.ts'
import * as commands from '../../common/run/command.ts'
import * as cutting from '../../common/run/cut-over.ts'
import * as runStatus from '../../common/run/run-status.ts'
import * as restoring from '../../common/run/way-back.ts'
import * as context from '../../common/situation/command-context.ts'
import * as obstacles from '../../common/situation/obstacles.ts'
import * as pins from '../../common/situation/pins.ts'
import * as running from '../../common/situation/run.ts'
import type { Situation } from '../../common/situation/situation.ts'
import { situationOf } from '../../common/situation/situation-of.ts'
import * as undoing from '../../common/situation/undo.ts'

const ofFacts =
  <F extends SpecFacts, A extends readonly unknown[], R>(decide: (situation: Situation<F>, ...others: A) => R) =>
  (facts: F, ...others: A): R =>
    decide(situationOf(facts), ...others)

export const plan = ofFacts(planning.plan)
export const evaluate = ofFacts(planning.evaluate)
export const statusOf = ofFacts(reporting.statusOf)
export const assess = ofFacts(assessing.assess)
export const editErrors = ofFacts(editing.editErrors)
export const describe = ofFacts(describing.describe)
export const decidePolicy = ofFacts(policies.decidePolicy)
export const aloneBehindService = ofFacts(alone.aloneBehindService)
export const analysisStatus = ofFacts(analyzing.analysisStatus)
export const strategyStatus = ofFacts(runStatus.strategyStatus)
export const pausedCondition = ofFacts(runStatus.pausedCondition)
export const cutOverConditions = ofFacts(runStatus.cutOverConditions)
export const ownedServices = ofFacts(runStatus.ownedServices)
export const applyCommand = ofFacts(commands.applyCommand)
export const cutOver = ofFacts(cutting.cutOver)
export const returnFirst = ofFacts(cutting.returnFirst)
export const restore = ofFacts(restoring.restore)
export const planDeletion = ofFacts(lifecycle.planDeletion)
export const finalizerWrites = ofFacts(lifecycle.finalizerWrites)
export const planPromoted = ofFacts(lifecycle.planPromoted)
export const isKept = ofFacts(gating.isKept)
export const gateWritesWithoutChange = ofFacts(gating.gateWritesWithoutChange)
export const commandContext = ofFacts(context.commandContext)
export const commandedRun = ofFacts(context.commandedRun)
export const previewObstacle = ofFacts(obstacles.previewObstacle)
export const pinState = ofFacts(pins.pinState)
export const hasRequests = ofFacts(pins.hasRequests)
export const runState = ofFacts(running.runState)
export const wantedReplicas = ofFacts(running.wantedReplicas)
export const isWriting = ofFacts(running.isWriting)
export const isPromoted = ofFacts(running.isPromoted)
export const isPinnedToFork = ofFacts(running.isPinnedToFork)
export const isInQuarantine = ofFacts(running.isInQuarantine)
export const mayHaveWritten = ofFacts(running.mayHaveWritten)
export const wasUndoAborted = ofFacts(running.wasUndoAborted)
export const demandsOf = ofFacts(running.demandsOf)
export const undoOf = ofFacts(undoing.undoOf)
export const obstacleOfUndo = ofFacts(undoing.obstacleOfUndo)
export const hasExpired = ofFacts((situation) => situation.hasExpired)
export const storedRun = ofFacts((situation) => situation.storedRun)
export const servingReplicas = ofFacts((situation) => situation.servingReplicas)
