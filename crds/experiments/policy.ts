import { EXPERIMENT_POLICY } from '../../common/api/names.ts'
import { POLICY_SPEC, POLICY_STATUS } from '../../common/policy/decode.ts'
import { conditionPath, crdManifest } from '../schema/kinds.ts'
import { SELECTOR } from '../schema/label-selector.ts'
import { type Note, type Rule, schemaOf } from '../schema/schema.ts'
import { CONDITION_NOTES } from './status.ts'

const STATUS: Note = {
  about: 'The state of the policy. Only the controller writes it.',
  members: {
    observedGeneration: 'The metadata.generation that this status is about.',
    experiments: 'The number of live experiments to which this policy applies.',
    violations: 'The number of these experiments that violate this policy.',
    actions: 'The validationActions as one text, such as "Warn,Audit".',
    conditions: {
      about: 'Valid is False if a path, a pattern or a label in this policy can match nothing.',
      keys: ['type'],
      members: CONDITION_NOTES,
    },
  },
}

/** What `parseOverridePath` can read. */
const PATH: Rule = {
  rule: String.raw`self.matches(r'^(\*\*?|[\w-]+|\{[\w-]+(,[\w-]+)*\})(\.(\*\*?|[\w-]+|\{[\w-]+(,[\w-]+)*\})|\[([*+-]|[\w./-]+|"[^"\\]+")\])*$')`,
  message: 'must be a path such as template.spec.containers[*].image or template.metadata.labels["example.com/team"]',
}

/** What `parseImagePattern` can read. */
const IMAGE: Rule = {
  rule: String.raw`self.matches(r'^(localhost|[\da-zA-Z-]+(\.[\da-zA-Z-]+)+|[\da-zA-Z-]+(\.[\da-zA-Z-]+)*:\d+|\[[\da-fA-F:]+\](:\d+)?)(/[\w.*-]+)+(:[\w.*-]+)?(@[\w.:*+-]+)?$')`,
  message:
    'must begin with a registry host without "*" and name an image, such as docker.io/library/* or registry.example/shop/**',
}

const OVERRIDES: Readonly<Record<string, Note>> = {
  allowedOverridePaths: {
    about:
      'The fields that an override may change. [] allows none; without this field all are allowed. A path is relative to overrideSpec and includes everything below it. "*" is one key, "**" is any number of keys and items, "{a,b}" is one of these keys, and ["a.b/c"] is a key with dots. In lists, [*] is any item, [+] an added item, [-] a removed item, [cart] the item with that name, and [0] the first item of a list whose items have no key. The comparison is between the fork and the source, however the override is written.',
    keys: 'unsaid',
    itemRules: [PATH],
  },
  deniedOverridePaths: {
    about:
      'The fields that an override may not change, written as in allowedOverridePaths. They are denied even if they are allowed there. A value that the source already has is no violation.',
    keys: 'unsaid',
    itemRules: [PATH],
  },
  allowedImages: {
    about:
      'The images that an override may use: host/path, host/path:tag or host/path@digest, always with the host ("docker.io/nginx"). "*" matches within one segment, a tag or a digest. "**" matches one or more segments. On Docker Hub, one segment is an official image: "docker.io/nginx" is "docker.io/library/nginx", "docker.io/*" matches all official images, and "docker.io/**" matches all of Docker Hub. A pattern without tag and digest matches all tags and digests. If an image has a digest, its tag is ignored. Without this field every image is allowed; [] allows only the images of the source.',
    keys: 'unsaid',
    itemRules: [IMAGE],
  },
}

const PROMOTIONS: Readonly<Record<string, Note>> = {
  promotionModes: {
    about:
      'The values that promotion.mode of an experiment may have. An experiment with a strategy and without a mode has Manual. An empty list refuses every experiment with a strategy or a promotion. Without it all are allowed.',
    keys: 'set',
  },
  approverNotRequester:
    'Whether somebody else than the user who last changed the spec of the experiment must promote it, by a command or by promotion.approvedRevision, and let a Service send only to the fork. Then autoPromotionEnabled must be false, and the owner of a preview Service must declare it by the annotation experiment-controller.example.com/preview: "true". The default is false.',
  allowScaleDownSource:
    'Whether a canary may set scaleDownSource, by which its source gets fewer pods during the run. With approverNotRequester it may not, because the spec alone would then change the source. The default is false.',
  requireRevision:
    'Whether the command "promote" must name the revision, as promotion.approvedRevision does, so that an edit that its author did not see is not promoted. The default is false.',
}

const SPEC: Note = {
  about:
    'The namespaces and the limits. A field that is not set limits nothing, but analysis.onTimeout Promote needs allowTimeoutPromotion of every policy that applies, and scaleDownSource of a canary needs allowScaleDownSource.',
  rules: [
    {
      rule: '!has(self.defaultTTLSeconds) || !has(self.maxTTLSeconds) || self.defaultTTLSeconds <= self.maxTTLSeconds',
      fieldPath: '.defaultTTLSeconds',
      message: 'must be no more than maxTTLSeconds',
    },
  ],
  members: {
    namespaceSelector: {
      about:
        'Selects namespaces by their labels. Without this field, or with {}, it selects all. The policy applies to experiments in these namespaces and to experiments whose source is in them.',
      ...SELECTOR,
    },
    validationActions: {
      about:
        'What happens to an experiment that violates this policy. Deny refuses it, Warn warns its author, and Audit adds it to the audit log of the API server. Deny and Warn cannot be combined.',
      keys: 'set',
      rules: [
        {
          rule: "!('Deny' in self && 'Warn' in self)",
          message: 'Deny and Warn cannot be combined; a refusal lists everything that a warning would',
        },
      ],
    },
    maxReplicas: 'The largest spec.replicas of an experiment.',
    maxShare: {
      about:
        'The largest part of the ready endpoints of a Service that all experiments on one workload may have together: "1%" to "100%".',
      rules: [{ rule: "self.matches('^([1-9][0-9]?|100)%$')", message: 'must be "1%" to "100%", in whole percent' }],
    },
    maxExperimentsPerSource:
      'The largest number of experiments on one workload at a time. Expired experiments do not count.',
    maxExperimentsPerNamespace:
      'The largest number of experiments in a namespace at a time. Expired experiments do not count.',
    maxTTLSeconds: 'The largest spec.ttlSeconds of an experiment. With this limit, spec.ttlSeconds is required.',
    defaultTTLSeconds:
      'The spec.ttlSeconds of new experiments that set none. If several policies set it, the smallest is used.',
    ...OVERRIDES,
    allowSourcesFrom: {
      about:
        'The names of other namespaces whose experiments may fork workloads in the selected namespaces. At least one policy must list such a namespace, and so must every policy that sets this field. Workloads in kube-system and in the namespace of this product are never forked from elsewhere.',
      keys: 'set',
    },
    sourceMissing:
      'Whether an experiment may be created before its source exists. Deny refuses it. Warn allows it with a warning to its author.',
    aloneBehindService:
      'Whether an experiment may have pods while a Service of its source has no other ready endpoint, so that all requests would reach the experiment. With Deny, it loses its pods after ten seconds and gets them back when another endpoint is ready. Deny has no effect in a policy that only warns or audits.',
    ...PROMOTIONS,
    requireAnalysis: 'Whether every experiment must have spec.analysis. The default is false.',
    allowedProviders: {
      about:
        'The names of the ExperimentAnalysisProviders that the analysis of an experiment may ask, also by its templates. Without it all are allowed; [] allows none. "kubernetes" is always allowed.',
      keys: 'set',
    },
    allowTimeoutPromotion:
      'Whether analysis.onTimeout of an experiment may be Promote, so that a fork is promoted of which neither harm nor safety has been shown. The default is false.',
  },
}

/** The CRD of policies. */
export const policyCrd = (): string =>
  crdManifest({
    of: EXPERIMENT_POLICY,
    scope: 'Cluster',
    shortName: 'expp',
    columns: [
      {
        name: 'Experiments',
        type: 'integer',
        description: 'The number of live experiments to which this policy applies.',
        jsonPath: '.status.experiments',
      },
      {
        name: 'Violations',
        type: 'integer',
        description: 'The number of these experiments that violate this policy.',
        jsonPath: '.status.violations',
      },
      {
        name: 'Actions',
        type: 'string',
        description: 'What happens to an experiment that violates this policy.',
        jsonPath: '.status.actions',
      },
      {
        name: 'Valid',
        type: 'string',
        description: 'False if something in this policy can match nothing; its condition Valid says what.',
        jsonPath: conditionPath('Valid', 'status'),
      },
    ],
    wide: [
      { name: 'MaxReplicas', type: 'integer', description: 'spec.maxReplicas', jsonPath: '.spec.maxReplicas' },
      { name: 'MaxShare', type: 'string', description: 'spec.maxShare', jsonPath: '.spec.maxShare' },
      { name: 'MaxTTL', type: 'integer', description: 'spec.maxTTLSeconds', jsonPath: '.spec.maxTTLSeconds' },
    ],
    comment: 'The resource by which admins limit experiments.',
    about:
      'Limits experiments in some or all namespaces. An experiment must comply with every policy that selects its namespace or the namespace of its source. A policy that is created later deletes nothing.',
    spec: schemaOf(POLICY_SPEC, SPEC),
    status: schemaOf(POLICY_STATUS, STATUS),
  })
