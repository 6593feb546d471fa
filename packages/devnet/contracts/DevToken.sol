// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// An ERC-20 token that anyone may mint. The given spenders need no allowance, which spares a local chain one approval
/// per trader, token and router. A tax on every transfer goes to the token's own balance.
contract DevToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    uint8 public immutable decimals;
    /// Tax on every transfer, in hundredths of a percent.
    uint256 public immutable taxBps;
    /// Whether name() and symbol() return bytes32, as those of some tokens of 2017 do.
    bool private immutable bytes32Metadata;
    string private _name;
    string private _symbol;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) private _allowance;
    mapping(address => bool) private _trusted;

    constructor(
        string memory name_,
        string memory symbol_,
        uint8 decimals_,
        uint256 taxBps_,
        bool bytes32Metadata_,
        address[] memory trusted
    ) {
        _name = name_;
        _symbol = symbol_;
        decimals = decimals_;
        taxBps = taxBps_;
        bytes32Metadata = bytes32Metadata_;
        for (uint256 i; i < trusted.length; i++) _trusted[trusted[i]] = true;
    }

    function name() external view returns (string memory) {
        _answer(_name);
        return _name;
    }

    function symbol() external view returns (string memory) {
        _answer(_symbol);
        return _symbol;
    }

    function allowance(address owner, address spender) public view returns (uint256) {
        return _trusted[spender] ? type(uint256).max : _allowance[owner][spender];
    }

    function mint(address[] calldata holders, uint256 amount) external {
        totalSupply += amount * holders.length;
        for (uint256 i; i < holders.length; i++) {
            balanceOf[holders[i]] += amount;
            emit Transfer(address(0), holders[i], amount);
        }
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        _allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance(from, msg.sender);
        if (allowed != type(uint256).max) _allowance[from][msg.sender] = allowed - amount;
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) private {
        uint256 tax = (amount * taxBps) / 10000;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - tax;
        emit Transfer(from, to, amount - tax);
        if (tax == 0) return;
        balanceOf[address(this)] += tax;
        emit Transfer(from, address(this), tax);
    }

    function _answer(string memory text) private view {
        if (!bytes32Metadata) return;
        bytes32 word = bytes32(bytes(text));
        assembly {
            mstore(0, word)
            return(0, 32)
        }
    }
}
