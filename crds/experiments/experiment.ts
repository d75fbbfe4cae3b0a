import { EXPERIMENT_STATUS } from '../../common/api/decode-status.ts'
import { EXPERIMENT_DEPLOYMENT, REQUESTED_BY } from '../../common/api/names.ts'
import { EXPERIMENT_SPEC } from '../../common/api/structures.ts'
import type { ExperimentDeploymentStatus } from '../../common/api/types.ts'
import { ANALYSIS_NOTE } from '../analysis/analysis.ts'
import { annotationPath, type Column, conditionPath, crdManifest } from '../schema/kinds.ts'
import { refusingNames } from '../schema/refusing.ts'
import { type Note, type Rule, schemaOf } from '../schema/schema.ts'
import { EXAMPLES, exampleOf } from './examples.ts'
import { STATUS_NOTE } from './status.ts'
import { STRATEGY_NOTE } from './strategy.ts'

const STEPS = 'self.strategy.canary.steps'

/** Names that people write for a field that has another one, or that is somewhere else. */
const NAMES = refusingNames(
  {
    ttl: 'write ttlSeconds: 3600, a number of seconds',
    image: 'write overrideSpec: {template: {spec: {containers: [{name: NAME, image: IMAGE}]}}}',
    template: 'write overrideSpec: {template: …}',
    override: 'write overrideSpec',
    steps: 'write strategy: {canary: {steps: …}}',
    canary: 'write strategy: {canary: …}',
    blueGreen: 'write strategy: {blueGreen: …}',
    interval: 'write analysis: {intervalSeconds: 60}',
    metrics: 'write analysis: {metrics: …}',
  },
  { ttl: 'numberOrText', image: 'text', steps: 'list', interval: 'numberOrText', metrics: 'list' },
)

const RULES: readonly Rule[] = [
  ...NAMES.rules,
  {
    rule: "!has(self.traffic) || self.traffic.mode != 'Gated' || has(self.strategy)",
    fieldPath: '.traffic.mode',
    message: 'Gated needs a strategy whose weights open the fork; set strategy.canary, or use Shared',
  },
  {
    rule:
      '!has(self.strategy) || !has(self.strategy.canary) || ' +
      '!has(self.strategy.canary.abortScaleDownDelaySeconds) || ' +
      "(has(self.traffic) && self.traffic.mode == 'Gated')",
    fieldPath: '.strategy.canary.abortScaleDownDelaySeconds',
    reason: 'FieldValueForbidden',
    message: 'only a gated fork keeps its pods after an abort; set traffic.mode to Gated, or remove it',
  },
  {
    rule:
      'has(self.analysis) || !has(self.strategy) || !has(self.strategy.canary) || ' +
      `!has(${STEPS}) || !${STEPS}.exists(step, has(step.analysis))`,
    fieldPath: '.strategy.canary.steps',
    message: 'an analysis step waits for spec.analysis, which is missing; add it, such as analysis: {}',
  },
  {
    // the default has been filled in here, so that a missing mode cannot be told from Shared
    rule:
      '!has(self.strategy) || !has(self.strategy.blueGreen) || !has(self.traffic) || ' + "self.traffic.mode == 'Gated'",
    fieldPath: '.traffic.mode',
    message: 'a blueGreen is always gated, and the default of the mode is Shared; set it to Gated, or remove traffic',
  },
]

const SPEC: Note = {
  about: 'Which workload to fork and what to change in the fork.',
  rules: RULES,
  refused: NAMES.refused,
  members: {
    sourceRef: {
      about: 'The workload to fork, called the source. Cannot be changed later.',
      rules: [
        {
          rule: 'self == oldSelf',
          reason: 'FieldValueForbidden',
          message: 'is immutable; delete the experiment and create a new one',
        },
      ],
      members: {
        kind: 'The kind of the workload.',
        name: 'The name of the workload. It may be created later than the experiment.',
        namespace:
          'The namespace of the workload. The default is the namespace of this object. The fork is created in the namespace of the workload. If that is another namespace, an ExperimentPolicy that selects it must list this one in allowSourcesFrom.',
      },
    },
    replicas:
      'The number of pods of the fork. It does not depend on the source. "kubectl scale expd/NAME --replicas=N" sets it too. With 0 the fork exists without pods.',
    overrideType:
      'How overrideSpec is merged into the spec of the source. Merge is a JSON merge patch (RFC 7386), as in "kubectl patch --type=merge": objects are merged, other values and whole lists are replaced, and null removes a key. Strategic is different for lists whose items have a key: containers, env and volumes by name, ports by number and protocol, and so on. These lists are merged item by item, and no item can be removed.',
    overrideSpec: {
      about:
        'A partial spec of the source\'s kind: only the fields that are different in the fork, or {} for none. With Merge, lists such as containers and env are replaced as a whole, so repeat the items that must stay. "replicas" and "selector" cannot be set here. "kubectl explain deployment.spec" lists the fields. ' +
        exampleOf(EXAMPLES.overrideSpec),
      whenAbsent: 'write the fields that are different in the fork, or {} for none',
      schema: {
        type: 'object',
        nullable: true,
        'x-kubernetes-map-type': 'atomic',
        'x-kubernetes-preserve-unknown-fields': true,
        // named, because Kubernetes makes former owners of parts owners of the whole, so that they are not overwritten
        // in silence, only where an object has a property
        properties: {
          template: {
            description: 'What is different in the pods of the fork.',
            nullable: true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
        },
      },
    },
    onSourceChange:
      'What to do when the source changes. Follow merges the override into the changed spec. Pin keeps the spec with which the experiment started.',
    ttlSeconds: {
      about:
        'The experiment expires this many seconds after its creation. Then the fork is deleted, and this object stays with the reason Expired. A larger number creates the fork again; a run that was aborted then also needs the command retry.',
      insteadOfText: 'must be a number of seconds without quotes, such as 3600 for an hour',
    },
    strategy: STRATEGY_NOTE,
    traffic: {
      about: 'Which pods of a fork with a strategy get requests.',
      isAtomic: true,
      members: {
        mode: 'Shared gives requests to every ready pod of the fork. Gated gives them only to the pods that a weight opens; "replicas" says how many pods run, however many are open. The pods keep their labels. A readiness gate keeps them out of all Services.',
      },
    },
    promotion: {
      about:
        'What follows the steps of the strategy: the source gets what the override says, and the fork is deleted. Without a strategy the fork can be promoted at any time.',
      // not atomic: another account may apply approvedRevision alone. Kubernetes makes null of it where somebody who
      // applied its only member applies {}; null is no promotion
      isNullable: true,
      members: {
        mode: 'Manual waits for the command "promote". Automatic needs no command. Export writes the patch to status.promotion.patch and waits until the source has it. A source that a tool such as Argo CD or Helm declares is never written.',
        force: 'Whether the source is written although a tool declares it.',
        skipSteps: 'Whether a source that is a Rollout skips its own steps when it is promoted.',
        approvedRevision:
          'Promotes without a command when the run waits for one and status.strategy.wholeRevision is this. An edit that starts another run needs another approval.',
      },
    },
    analysis: ANALYSIS_NOTE,
  },
}

const column = (name: string, jsonPath: string, description: string): Column => ({
  name,
  type: 'string',
  description,
  jsonPath,
})
const ready = (field: string): string => conditionPath('Ready', field)

/** What is shown of an experiment that no controller has looked at: without it, a row of blanks. */
const UNSEEN = {
  conditions: [
    {
      type: 'Ready',
      status: 'Unknown',
      reason: 'Pending',
      message: 'no controller has looked at this experiment yet',
      lastTransitionTime: '1970-01-01T00:00:00Z',
    },
  ],
} as const satisfies ExperimentDeploymentStatus

/** The CRD of experiments. */
export const experimentCrd = (): string =>
  crdManifest({
    of: EXPERIMENT_DEPLOYMENT,
    scope: 'Namespaced',
    shortName: 'expd',
    categories: ['expds'], // kubectl expands them before names: "experiments" would hide Argo's kind of that name
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
    selectable: ['.spec.sourceRef.kind', '.spec.sourceRef.name'],
    columns: [
      column('Source', '.status.sourceName', 'The workload that is forked, called the source.'),
      column('Pods', '.status.pods', 'The ready pods of the fork, and how many it should have.'),
      column('Ready', ready('status'), 'Whether every pod of the experiment is ready.'),
      column('Share', '.status.share', "The fork's part of the ready endpoints of its first Service."),
      column(
        'Step',
        '.status.strategy.step',
        'The steps of the strategy that are done, all of them, and what the run does now.',
      ),
      column('Verdict', '.status.analysis.verdict', 'What the analysis found, or Wait.'),
      column('Status', ready('reason'), 'Why it is ready or not.'),
      column('Expires', '.status.expiresAt', 'When the experiment expires.'),
    ],
    wide: [
      column('Image', '.status.image', "The images of the fork's containers."),
      column('Changes', '.status.changes', 'The fields that the override changes.'),
      column('Experiment', '.status.experimentResourceRef.name', 'The fork.'),
      column('Paused', conditionPath('Paused', 'reason'), 'Why its run waits; empty if it does not.'),
      column('By', annotationPath(REQUESTED_BY), 'Who last changed its spec.'),
    ],
    comment: 'The resource that users write.',
    about:
      'Runs a fork of a workload: extra pods with some changes, behind the same Services, for as long as this object exists. The workload itself is modified only by a promotion, and its Services only by a cut-over.',
    rules: [
      {
        // the name becomes the value of a label on the experiment's pods
        rule: 'self.metadata.name.size() <= 63',
        message: 'metadata.name: must be no more than 63 characters; choose a shorter name',
      },
    ],
    spec: schemaOf(EXPERIMENT_SPEC, SPEC),
    status: { ...schemaOf(EXPERIMENT_STATUS, STATUS_NOTE), default: UNSEEN },
  })
