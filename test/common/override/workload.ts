import { NO_SHAPE, type Shape } from '../../../common/override/shape.ts'

/** Free keys, in which every value counts. */
const MAPS = new Set(['labels', 'annotations', 'nodeSelector', 'limits', 'requests', 'matchLabels', 'options'])
const QUANTITIES = new Set(['limits', 'requests'])
/** What the API server says in its schemas that it fills in. */
const FILLED: Readonly<Record<string, unknown>> = { protocol: 'TCP', resources: {}, metadata: {}, pool: 'rbd' }

/** The shape of a workload: every object knows the fields of Kubernetes, and a map knows none. */
export const workload = (name = 'spec'): Shape => ({
  ...NO_SHAPE,
  form: MAPS.has(name) ? 'map' : 'object',
  fields: MAPS.has(name) ? [] : FIELDS,
  member: (key) => (MAPS.has(name) ? { ...workload(key), isQuantity: QUANTITIES.has(name) } : workload(key)),
  items: () => workload('item'),
  keys: name === 'containers' ? [{ key: 'name' }] : [],
  defaultOf: (key) => (MAPS.has(name) ? undefined : FILLED[key]),
})
const FIELDS = [
  ...['tty', 'value', 'hostNetwork', 'hostUsers', 'priorityClassName', 'schedulerName', 'hostPort', 'subPath', 'type'],
  ...[
    'workingDir',
    'host',
    'initialDelaySeconds',
    'periodSeconds',
    'minReadySeconds',
    'readOnly',
    'fsType',
    'protocol',
  ],
  ...['automountServiceAccountToken', 'runAsUser', 'name', 'partition', 'sizeLimit', 'medium'],
]
