/** At least eight signs of two kinds; the server knows the rest. */
export const passwordRules = [
  { required: true, message: '请输入密码' },
  { min: 8, message: '密码至少8位' },
  {
    validator: (_: unknown, value?: string) =>
      !value || [/\p{L}/u, /\d/, /[^\p{L}\d]/u].filter((kind) => kind.test(value)).length >= 2
        ? Promise.resolve()
        : Promise.reject(new Error('请包含字母、数字、符号中的至少两种')),
  },
];
