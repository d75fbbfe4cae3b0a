import type { JsonObject } from '../../common/json/json.ts'
import { CART, container, pod, type ValueCase } from './case.ts'

const ports = [{ name: 'http', containerPort: 80 }]
const liveness = (fields: JsonObject) => container({ ports, livenessProbe: { httpGet: { port: 80 }, ...fields } })
const of = (probe: string, fields: JsonObject) => container({ [probe]: { tcpSocket: { port: 80 }, ...fields } })
const PROBE = 'template.spec.containers[0].livenessProbe'

/** `common/pod/handlers.ts` */
export const HANDLERS: readonly ValueCase[] = [
  {
    title: 'M3: a probe of a port name that does not exist',
    accepted: container({ ports, livenessProbe: { httpGet: { port: 'http' } } }),
    refused: container({ ports, livenessProbe: { httpGet: { port: 'htpp' } } }),
    errors: [`${PROBE}.httpGet.port: must be the name of a port of this container; did you mean "http"?`],
    isOfKubelet: true,
  },
  {
    title: 'M3: a probe without a handler',
    accepted: container({ livenessProbe: { exec: { command: ['true'] } } }),
    refused: container({ livenessProbe: { periodSeconds: 5 } }),
    errors: [`${PROBE}: must have one of exec, httpGet, tcpSocket, grpc; add one`],
  },
  {
    title: 'M3: a probe with two handlers',
    accepted: liveness({}),
    refused: liveness({ exec: { command: ['true'] } }),
    errors: [`${PROBE}.httpGet: cannot be set together with exec; remove one of them`],
  },
  {
    title: 'M4: a success threshold of a liveness probe',
    accepted: of('readinessProbe', { successThreshold: 2 }),
    refused: of('livenessProbe', { successThreshold: 2 }),
    errors: [`${PROBE}.successThreshold: must be 1 in a livenessProbe; remove it`],
  },
  {
    title: 'M4: a success threshold of a startup probe',
    accepted: of('startupProbe', { successThreshold: 1 }),
    refused: of('startupProbe', { successThreshold: 3 }),
    errors: ['template.spec.containers[0].startupProbe.successThreshold: must be 1 in a startupProbe; remove it'],
  },
  ...['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'].map(
    (key): ValueCase => ({
      title: `M4: ${key} of a probe`,
      accepted: liveness({ [key]: 0 }),
      refused: container({ readinessProbe: { tcpSocket: { port: 80 }, [key]: -1 } }),
      errors: [`template.spec.containers[0].readinessProbe.${key}: must not be negative; got -1`],
    }),
  ),
  {
    title: 'M4: a grace period of a probe',
    accepted: liveness({ terminationGracePeriodSeconds: 1 }),
    refused: liveness({ terminationGracePeriodSeconds: -1 }),
    errors: [`${PROBE}.terminationGracePeriodSeconds: must be more than 0; got -1`],
  },
  {
    title: 'M4: a grace period of a readiness probe',
    accepted: of('startupProbe', { terminationGracePeriodSeconds: 5 }),
    refused: of('readinessProbe', { terminationGracePeriodSeconds: 5 }),
    errors: [
      'template.spec.containers[0].readinessProbe.terminationGracePeriodSeconds: cannot be set in a readinessProbe, which stops no pod; remove it',
    ],
  },
  {
    title: 'M4: the port of a probe',
    accepted: container({ livenessProbe: { grpc: { port: 65_535 } } }),
    refused: container({ livenessProbe: { grpc: { port: 65_536 } } }),
    errors: [`${PROBE}.grpc.port: must be from 1 to 65535; got 65536`],
  },
  {
    title: 'M4: the port of a probe in quotes',
    accepted: container({ livenessProbe: { tcpSocket: { port: 8080 } } }),
    refused: container({ livenessProbe: { tcpSocket: { port: '8080' } } }),
    errors: [`${PROBE}.tcpSocket.port: must contain a letter; for the port 8080 remove the quotes`],
  },
  {
    title: 'M4: a command of a probe',
    accepted: container({ livenessProbe: { exec: { command: ['cat', '/ok'] } } }),
    refused: container({ livenessProbe: { exec: {} } }),
    errors: [`${PROBE}.exec.command: must have a command; add it`],
  },
  {
    title: 'M5: a header of a probe',
    accepted: container({ livenessProbe: { httpGet: { port: 80, httpHeaders: [{ name: 'X-Probe', value: 'a' }] } } }),
    refused: container({ livenessProbe: { httpGet: { port: 80, httpHeaders: [{ name: 'X Probe', value: 'a' }] } } }),
    errors: [`${PROBE}.httpGet.httpHeaders[0].name: must be letters, digits and "-"; got "X Probe"`],
  },
  {
    title: 'M3: a hook without a handler',
    accepted: container({ lifecycle: { preStop: { exec: { command: ['true'] } } } }),
    refused: container({ lifecycle: { preStop: {} } }),
    errors: [
      'template.spec.containers[0].lifecycle.preStop: must have one of exec, httpGet, tcpSocket, sleep; add one',
    ],
  },
  {
    title: 'M4: a sleep that is longer than the grace period',
    accepted: pod({
      terminationGracePeriodSeconds: 60,
      containers: [{ ...CART, lifecycle: { preStop: { sleep: { seconds: 60 } } } }],
    }),
    refused: container({ lifecycle: { preStop: { sleep: { seconds: 60 } } } }),
    errors: [
      'template.spec.containers[0].lifecycle.preStop.sleep.seconds: must be from 0 to terminationGracePeriodSeconds (30); got 60',
    ],
  },
]
