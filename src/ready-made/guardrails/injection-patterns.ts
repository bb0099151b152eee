/** Phrases of prompt injection. All patterns are bounded, so long texts stay fast. */

const gap = String.raw`[\s"'*_-]{1,8}`;
const filler = `(?:(?:the|of|my|these|those|any)${gap}){0,2}`;
const which = '(?:all|every|any|your|previous|prior|above|earlier|preceding|former|system|safety)';
const orders = '(?:instruction|prompt|rule|message|direction|guideline|directive|command|polic(?:y|ie))s?';

export const injectionPatterns: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:ignore|disregard|forget|override|bypass)${gap}${filler}${which}${gap}${filler}(?:${which}${gap}){0,3}${orders}\b`,
    'i',
  ),
  new RegExp(
    String.raw`\b(?:reveal|print|show|repeat|output|display|leak)${gap}(?:me${gap})?(?:your|the)${gap}(?:(?:hidden|full|secret|original|initial)${gap}){0,2}system${gap}(?:prompt|message|instructions?)\b`,
    'i',
  ),
  new RegExp(
    String.raw`\byou${gap}are${gap}now${gap}(?:in${gap})?(?:a${gap}|an${gap})?(?:dan|jailbroken|unrestricted|unfiltered|developer${gap}mode|god${gap}mode)\b`,
    'i',
  ),
  new RegExp(String.raw`\b(?:do${gap}anything${gap}now|developer${gap}mode${gap}(?:enabled|on))\b`, 'i'),
  // Role markers of model templates.
  /<\|(?:im_start|im_end|system|assistant|endoftext|start_header_id|eot_id)\|>|<<SYS>>|\[\/?INST\]/i,
];
