import { z } from 'zod';
import { anyObject } from './shapes.js';

/*
 * Members that nothing here reads, by their plain types: of the wrong one they are no request of any release, and no
 * seller is to be asked. What is within them is for the seller to judge.
 */

const text = z.string().max(20_000).optional();
const list = z.array(z.unknown()).max(10_000).optional();
const object = anyObject.optional();
const flag = z.boolean().optional();
const number = z.number().optional();

type Named<Name extends string, Type> = Readonly<Record<Name, Type>>;

function named<Name extends string, Type>(type: Type, names: readonly Name[]): Named<Name, Type> {
  return Object.fromEntries(names.map((name) => [name, type])) as Named<Name, Type>;
}

export const texts = <Name extends string>(...names: readonly Name[]) => named(text, names);
export const lists = <Name extends string>(...names: readonly Name[]) => named(list, names);
export const objects = <Name extends string>(...names: readonly Name[]) => named(object, names);
export const flags = <Name extends string>(...names: readonly Name[]) => named(flag, names);
export const numbers = <Name extends string>(...names: readonly Name[]) => named(number, names);
