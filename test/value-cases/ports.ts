import type { JsonObject } from '../../common/json/json.ts'
import { CART, container, pod, type ValueCase } from './case.ts'

const ports = (...items: readonly JsonObject[]) => container({ ports: items })
const AT = 'template.spec.containers[0].ports'

/** `common/pod/ports.ts` */
export const PORTS: readonly ValueCase[] = [
  {
    title: 'M4: a port beyond the range',
    accepted: ports({ containerPort: 65_535 }),
    refused: ports({ containerPort: 65_536 }),
    errors: [`${AT}[0].containerPort: must be from 1 to 65535; got 65536`],
  },
  {
    title: 'M4: port 0',
    accepted: ports({ containerPort: 1 }),
    refused: ports({ containerPort: 0 }),
    errors: [`${AT}[0].containerPort: must be from 1 to 65535; got 0`],
  },
  {
    title: 'M4: a port of the node',
    accepted: ports({ containerPort: 80, hostPort: 0 }),
    refused: ports({ containerPort: 80, hostPort: -80 }),
    errors: [`${AT}[0].hostPort: must be from 1 to 65535; got -80`],
  },
  {
    title: 'M5: the length of the name of a port',
    accepted: ports({ name: 'a'.repeat(15), containerPort: 80 }),
    refused: ports({ name: 'a'.repeat(16), containerPort: 80 }),
    errors: [`${AT}[0].name: must have at most 15 characters, got 16; shorten it`],
  },
  ...['HTTP', 'a_b', 'a--b', '-a', 'a-'].map(
    (name): ValueCase => ({
      title: `M5: ${name} as the name of a port`,
      accepted: ports({ name: 'a-1', containerPort: 80 }),
      refused: ports({ name, containerPort: 80 }),
      errors: [
        `${AT}[0].name: must be lowercase letters, digits and single "-", with a letter, not "-" first or last; got "${name}"`,
      ],
    }),
  ),
  {
    title: 'M5: a number as the name of a port',
    accepted: ports({ name: 'p80', containerPort: 80 }),
    refused: ports({ name: '80', containerPort: 80 }),
    errors: [`${AT}[0].name: must contain a letter; for the port 80 remove the quotes`],
  },
  {
    title: 'M5: one name for two ports',
    accepted: ports({ name: 'a', containerPort: 80 }, { name: 'b', containerPort: 81 }),
    refused: ports({ name: 'a', containerPort: 80 }, { name: 'a', containerPort: 81 }),
    errors: [`${AT}[1].name: must be unique: port 80 has the name "a" too; rename or remove one`],
  },
  {
    title: 'M4: another port of the node with its network',
    accepted: pod({ hostNetwork: true, containers: [{ ...CART, ports: [{ containerPort: 80, hostPort: 80 }] }] }),
    refused: pod({ hostNetwork: true, containers: [{ ...CART, ports: [{ containerPort: 80, hostPort: 81 }] }] }),
    errors: [`${AT}[0].hostPort: must be equal to containerPort, because hostNetwork is true; change or remove it`],
  },
  {
    title: 'M4: one port of the node for two ports',
    accepted: ports({ containerPort: 80, hostPort: 80 }, { containerPort: 80, hostPort: 80, protocol: 'UDP' }),
    refused: ports({ containerPort: 80, hostPort: 80 }, { containerPort: 81, hostPort: 80 }),
    errors: [`${AT}[1].hostPort: must be unique in the pod: another container uses port 80 of the node; change one`],
  },
]
