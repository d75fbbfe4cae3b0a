import { REFUSED_TYPES, type RefusingOptions, refusing, refusingNames } from '../schema/refusing.ts'
import type { Note } from '../schema/schema.ts'
import { EXAMPLES, exampleOf } from './examples.ts'

const OF_ARGO: RefusingOptions = {
  about: 'A field of Argo Rollouts that is not supported here and is refused.',
  types: {
    ...{ canaryService: 'text', stableService: 'text', dynamicStableScale: 'flag' },
    ...{ minPodsPerReplicaSet: 'number', scaleDownDelayRevisionLimit: 'number' },
  },
}

const NO_ROUTER = 'weights here are numbers of pods; remove it'
const POD_AFFINITY = 'override the affinity of the pod template instead'
const POD_METADATA = 'override the metadata of the pod template instead'
const ONE_FORK = 'there is only one fork; remove it'

const OF_STEP = refusing(
  {
    setCanaryScale: 'the pods follow from the weight; use setWeight instead',
    experiment: 'create another ExperimentDeployment instead',
    setHeaderRoute: NO_ROUTER,
    setMirrorRoute: NO_ROUTER,
    plugin: 'there are no plugins; remove it',
  },
  OF_ARGO,
)

const STEP_NAMES = refusingNames(
  {
    weight: 'write setWeight: 10, a percentage without the sign',
    duration: 'write pause: {duration: 1h}',
    promote: 'promoting is no step; it follows the last one, as spec.promotion says',
  },
  { weight: 'numberOrText', duration: 'numberOrText' },
)

const OF_CANARY = refusing(
  {
    analysis: 'an analysis is written in spec.analysis, beside strategy; move it there',
    antiAffinity: POD_AFFINITY,
    canaryMetadata: POD_METADATA,
    stableMetadata: 'the source is never changed; remove it',
    ...{ canaryService: NO_ROUTER, stableService: NO_ROUTER, trafficRouting: NO_ROUTER, pingPong: NO_ROUTER },
    dynamicStableScale: 'set scaleDownSource to true instead',
    minPodsPerReplicaSet: 'every weight above 0 has at least one pod; remove it',
    scaleDownDelayRevisionLimit: ONE_FORK,
    replicaProgressThreshold: 'every pod of a step must be ready; remove it',
  },
  OF_ARGO,
)

const OF_BLUE_GREEN = refusing(
  {
    prePromotionAnalysis: 'the preview gets no requests to compare; test it, and use the command "resume" instead',
    postPromotionAnalysis:
      'the source gets no requests to compare with then; use scaleDownDelaySeconds and the command "abort" instead',
    antiAffinity: POD_AFFINITY,
    activeMetadata: 'the source is never changed; override the metadata of the pod template instead',
    previewMetadata: POD_METADATA,
    scaleDownDelayRevisionLimit: ONE_FORK,
  },
  OF_ARGO,
)

const LISTS = ['templates', 'args', 'dryRun', 'measurementRetention']

const ANALYSIS_STEP: Note = {
  about: 'Waits until spec.analysis has passed. It is always {}: the metrics are in spec.analysis.',
  isAtomic: true,
  rules: [
    {
      rule: [...LISTS, 'analysisRunMetadata'].map((field) => `!has(self.${field})`).join(' && '),
      reason: 'FieldValueForbidden',
      message: 'the step only waits for spec.analysis; write {} here, and the metrics there',
    },
  ],
  refused: {
    ...Object.fromEntries(LISTS.map((field) => [field, { description: OF_ARGO.about, ...REFUSED_TYPES.list }])),
    analysisRunMetadata: { description: OF_ARGO.about, ...REFUSED_TYPES.object },
  },
}

const STEPS: Note = {
  about: `The steps, in this order, at most 50. Each has setWeight, pause or analysis. Without steps the fork gets as many pods as maxSurge allows. ${exampleOf(EXAMPLES.steps)}`,
  keys: 'unsaid',
  itemRules: [
    {
      rule: '!has(self.setWeight) || !has(self.pause)',
      message: 'has both setWeight and pause; make two steps of it, in the order that you mean',
    },
    {
      rule: '!has(self.analysis) || (!has(self.setWeight) && !has(self.pause))',
      message: 'an analysis is a step of its own; make two steps of it, in the order that you mean',
    },
    {
      rule: [
        'setWeight',
        'pause',
        'setCanaryScale',
        'analysis',
        'experiment',
        'setHeaderRoute',
        'setMirrorRoute',
        'plugin',
      ]
        .map((member) => `has(self.${member})`)
        .join(' || '),
      message: 'set setWeight, pause or analysis, such as {setWeight: 10} or {pause: {}}',
    },
    ...OF_STEP.rules,
    ...STEP_NAMES.rules,
  ],
  members: {
    setWeight: {
      about:
        'The percentage of all pods, those of the source and those of the fork, that the fork has. The source keeps its pods, unless scaleDownSource is true. With 20 and a source of 10 pods, the fork gets 3, or 2 with scaleDownSource. With 0 it has none.',
      insteadOfText: 'must be a number without quotes and without %, such as 10',
    },
    pause: {
      about: 'Waits for a time, or until somebody resumes the run.',
      members: {
        duration: {
          about:
            'For how long: seconds, or a text such as "1h30m", at most a year. Without it the run waits until somebody resumes it.',
          isReviewed: true,
        },
      },
    },
    analysis: ANALYSIS_STEP,
  },
  refused: { ...OF_STEP.refused, ...STEP_NAMES.refused },
}

const progressDeadlineAbort =
  'Whether the run is aborted when the fork exceeds its progress deadline while a step waits for its pods. Otherwise the experiment becomes Stalled. The default is false.'

const CANARY: Note = {
  about: 'Gives the fork weights, with pauses between them.',
  isAtomic: true,
  isNullable: true,
  rules: [
    {
      rule:
        '!has(self.steps) || ' +
        'self.steps.map(s, has(s.setWeight) ? s.setWeight : 0).indexOf(100) in [-1, size(self.steps) - 1]',
      fieldPath: '.steps',
      message: 'setWeight 100 can only be the last step; remove the steps after it',
    },
    ...OF_CANARY.rules,
  ],
  members: {
    steps: STEPS,
    maxSurge:
      'The most pods that the fork may have: a number, or a percentage of the pods of the source, rounded up. The default is 100%. With scaleDownSource it is how many more pods source and fork may have together than the source has without the run, and the default is 25%.',
    maxUnavailable:
      'How many of the pods of the source a promotion may cost: a number, or a percentage, rounded down. With the default, 0, never fewer pods serve than the source has. With scaleDownSource it is how many fewer pods of source and fork may serve together at every step.',
    scaleDownSource:
      'Whether the source gets smaller as the fork grows, as with Argo Rollouts, so that both together have about as many pods as the source has without the run. Only for Deployments without an autoscaler whose replicas no tool declares. The default is false: the source keeps its pods.',
    scaleDownDelaySeconds: 'How long the fork is kept after the source has the change, in seconds. The default is 30.',
    abortScaleDownDelaySeconds:
      'How long an aborted fork keeps its pods for inspection, without requests, in seconds. Only of a gated fork. With 0 it keeps them until it is deleted. The default is 30.',
    progressDeadlineAbort,
  },
  refused: OF_CANARY.refused,
}

const BLUE_GREEN: Note = {
  about: `Runs the fork without requests beside the source, lets a preview reach it, and then moves a Service from the source to it. The source keeps its pods, so that the way back takes no time. The fork is always gated, as with traffic.mode Gated. ${exampleOf(EXAMPLES.blueGreen)}`,
  isAtomic: true,
  rules: [
    {
      rule: '!has(self.previewService) || self.previewService != self.activeService',
      fieldPath: '.previewService',
      message: 'is the active Service, which must not reach the fork before the cut-over; set it to another Service',
    },
    {
      rule:
        '!has(self.autoPromotionSeconds) || ' +
        '(has(self.autoPromotionEnabled) ? self.autoPromotionEnabled : !has(self.previewService))',
      reason: 'FieldValueForbidden',
      fieldPath: '.autoPromotionSeconds',
      message: 'the cut-over waits for a command; set autoPromotionEnabled to true, or remove this',
    },
    ...OF_BLUE_GREEN.rules,
  ],
  members: {
    activeService:
      'The Service whose requests go to the fork after the cut-over. It is in the namespace of the source and selects its pods. The cut-over adds a label of the fork to its selector, and the way back takes this label off again. Nothing else of it is changed.',
    previewService:
      'Another Service, for tests: its requests go to the fork from when its pods are ready until the source has the change. For this time a label of the fork is added to its selector, and publishNotReadyAddresses is set. Nothing else of it is changed.',
    previewReplicaCount:
      'The number of pods of the fork before the cut-over. The default is as many as the source has, and so many it gets for the cut-over. While a HorizontalPodAutoscaler on CPU counts the pods of the fork, the default is a tenth of that, rounded down, but at least 1.',
    autoPromotionEnabled:
      'Whether the cut-over needs no command. Otherwise it waits for "resume". The default is false with a previewService and true without one. Whether the source gets the change after that, spec.promotion says.',
    autoPromotionSeconds:
      'How long a cut-over that needs no command waits when the pods of the fork are ready, in seconds. The default is 0.',
    maxUnavailable:
      'How many pods of the fork may not be ready after the cut-over: a number, or a percentage, rounded down. With fewer ready pods for 60 seconds on end, while the source has more, the requests go back to the source; without any ready pod at once. Without it none may be missing. It can be changed in the middle of a run.',
    scaleDownDelaySeconds:
      'How long the run waits after the cut-over before it goes on, in seconds, and how long the fork is kept after the source has the change. The default is 30.',
    abortScaleDownDelaySeconds:
      'How long an aborted fork keeps its pods for inspection, without requests, in seconds. With 0 it keeps them until it is deleted. The default is 30.',
    progressDeadlineAbort,
  },
  refused: OF_BLUE_GREEN.refused,
}

const STRATEGY_NAMES = refusingNames(
  {
    type: 'write canary: {steps: [{setWeight: 10}, {pause: {}}]} or blueGreen: {activeService: NAME}, without a type',
    steps: 'write canary: {steps: [{setWeight: 10}, {pause: {}}]}',
    rollingUpdate: 'that is of the fork; write it in overrideSpec.strategy',
  },
  { type: 'text', steps: 'list' },
)

/** What `spec.strategy` says to people, and its rules. */
export const STRATEGY_NOTE: Note = {
  about:
    'How the fork gets the traffic: more and more of it with canary, or all at once with blueGreen. Without it, the fork has as many pods as "replicas" says.',
  rules: [
    {
      rule: 'has(self.canary) || has(self.blueGreen)',
      message:
        'set canary, such as {steps: [{setWeight: 10}, {pause: {}}]}, or blueGreen, such as {activeService: NAME}; for a canary without steps write canary: {}',
    },
    {
      rule: '!has(self.canary) || !has(self.blueGreen)',
      message: 'has both canary and blueGreen; remove one of them',
    },
    ...STRATEGY_NAMES.rules,
  ],
  members: { canary: CANARY, blueGreen: BLUE_GREEN },
  refused: STRATEGY_NAMES.refused,
}
